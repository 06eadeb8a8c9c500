/** Clients that chat: with money enough, with an idempotency key, and until the money is gone. */
import { setTimeout as sleep } from "node:timers/promises";
import { askChat, type ChatWish } from "./ask-chat.ts";
import { openAccount, openGroup, openKey, type Key } from "./customers.ts";
import { counter, type Stage } from "./stage.ts";
import { FIXED_MODEL, FIXED_NANO, TOKEN_MODELS } from "./torture-catalogue.ts";
import type { Chance } from "./seeded.ts";
import { DIALECTS, type Attempt, type ChatTrace, type KeptResponse } from "./trace.ts";

/** Words of the sandbox: mostly a good answer, at times one that breaks in its own way. */
const TROUBLES = [
  "cut=6",
  "silentAt=6",
  "errorEvent=5",
  "reset",
  "status=500",
  "status=429 retry-after=1",
  "end=4",
  "model=first status=500",
  "usage=none",
] as const;
const MOST_TRIES = 12;
/** A conversation goes on so often: each of its requests sends all before it again. */
const DEEPEST = 5;
const RETRY_MS = 400;

export interface ChatOrder {
  readonly chat: ChatTrace;
  readonly wish: ChatWish;
}

/**
 * The next request of a client, whatever became of those before it; but that it may go on from the
 * last one that is kept.
 */
function nextOrder(
  chance: Chance,
  client: string,
  key: Key,
  number: number,
  kept: KeptResponse | null = null,
): ChatOrder {
  const stream = chance.percent(60);
  const dialect = chance.oneOf(DIALECTS);
  const model = chance.oneOf(TOKEN_MODELS);
  const idempotent = chance.percent(25);
  const leaves = stream && chance.percent(20);
  const trouble = chance.percent(15) ? ` ${chance.oneOf(TROUBLES)}` : "";
  const tokens = chance.percent(15) ? chance.between(300, 900) : chance.between(8, 80);
  const marker = `t-${client}-${number}`;
  const store = chance.percent(70);
  const goesOn = chance.percent(60) && dialect === "responses";
  return {
    chat: {
      marker,
      client,
      accountId: key.accountId,
      keyId: key.keyId,
      model,
      dialect,
      stream,
      idempotencyKey: idempotent ? marker : null,
      store,
      previous: goesOn ? kept : null,
      attempts: [],
    },
    wish: {
      directives: `tokens=${tokens} chunkDelay=${chance.between(0, 12)}${trouble}`,
      maxTokens: 1_000,
      leaveAfter: leaves ? chance.between(2, 6) : null,
    },
  };
}

/** Whether the same request again could end otherwise. */
function isWorthAnotherTry({ status, end }: Attempt): boolean {
  if (end === "complete") return status === 409 || (status ?? 0) >= 500 || status === 429;
  return true;
}

/** One request after another with one key, until the run is over. */
export async function chatOn(stage: Stage, client: string, key: Key): Promise<void> {
  const chance = stage.chance(client);
  const count = counter();
  let kept: KeptResponse | null = null;
  while (stage.running) {
    const { chat, wish } = nextOrder(chance, client, key, count(), kept);
    let gateway = chance.between(0, stage.fleet.size - 1);
    const again = chance.between(1, stage.fleet.size);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      // Who comes again reads to the end.
      const now = tries === 0 ? wish : { ...wish, leaveAfter: null };
      const attempt = await askChat(stage, chat, key.secret, now, gateway);
      if (chat.idempotencyKey === null || !isWorthAnotherTry(attempt)) break;
      if (!stage.running && tries > 1) break;
      await sleep(RETRY_MS);
      gateway = (gateway + again) % stage.fleet.size;
    }
    if (chat.attempts.length > 0) stage.trace.chats.push(chat);
    kept = keptBy(chat) ?? kept;
    await sleep(chat.attempts.length > 0 ? chance.between(0, 60) : RETRY_MS);
  }
}

function keptBy({ attempts, previous }: ChatTrace): KeptResponse | null {
  const responseId = attempts.findLast(({ keptId }) => keptId !== null)?.keptId ?? null;
  const depth = previous === null ? 0 : previous.depth + 1;
  return responseId === null || depth >= DEEPEST ? null : { responseId, depth };
}

const CLIENTS_AT_ONCE = 4;

/** Asks until it is told that waiting does not help; `giveUp` ends it before. */
async function drain(
  stage: Stage,
  client: string,
  key: Key,
  giveUp: () => boolean,
): Promise<boolean> {
  const chance = stage.chance(client);
  const count = counter();
  while (!giveUp()) {
    const chat: ChatTrace = {
      marker: `t-${client}-${count()}`,
      client,
      accountId: key.accountId,
      keyId: key.keyId,
      model: FIXED_MODEL,
      dialect: chance.oneOf(DIALECTS),
      stream: chance.percent(50),
      idempotencyKey: null,
      store: chance.percent(50),
      previous: null,
      attempts: [],
    };
    const wish = { directives: "tokens=6 chunkDelay=2", maxTokens: 50, leaveAfter: null };
    const gateway = chance.between(0, stage.fleet.size - 1);
    const attempt = await askChat(stage, chat, key.secret, wish, gateway);
    if (chat.attempts.length > 0) stage.trace.chats.push(chat);
    if (attempt.status === 402 && !attempt.comeAgain) return true;
    await sleep(attempt.status === 200 ? 0 : 250);
  }
  return false;
}

/**
 * N roubles for N: a crowd on accounts, keys and groups that are worth N requests each, one after
 * another.
 * An account that is not dry when the run ends is drained on while the rest comes to its end.
 */
export async function drainAccounts(
  stage: Stage,
  client: string,
  patienceMs: number,
): Promise<void> {
  const chance = stage.chance(client);
  const count = counter();
  let overMs = Infinity;
  const giveUp = (): boolean => {
    if (!stage.running) overMs = Math.min(overMs, stage.nowMs() + patienceMs);
    return stage.nowMs() > overMs;
  };
  while (stage.running) {
    const number = count();
    const what = chance.oneOf(["account", "key", "group"]);
    const worth = chance.between(5, 15);
    const opened = await openWorth(stage, `${client}-${number}`, what, BigInt(worth) * FIXED_NANO);
    if (opened === null) return;
    const { accountId, budgetId, keys } = opened;
    const dry = { accountId, budgetId, worth, final: false };
    stage.trace.dry.push(dry);
    const ends = await Promise.all(
      Array.from({ length: CLIENTS_AT_ONCE }, (_, place) =>
        drain(stage, `${client}-${number}-${place}`, keys[place % keys.length] ?? keys[0], giveUp),
      ),
    );
    dry.final = ends.every(Boolean);
  }
}

interface Worth {
  readonly accountId: string;
  /** What is worth it; null: the account. */
  readonly budgetId: string | null;
  readonly keys: readonly [Key, ...(readonly Key[])];
}

/** An account that is worth so much; or one that has more, with a key or a group worth it. */
async function openWorth(
  stage: Stage,
  name: string,
  what: "account" | "key" | "group",
  worthNano: bigint,
): Promise<Worth | null> {
  const accountId = await openAccount(
    stage,
    name,
    what === "account" ? worthNano : 100n * worthNano,
  );
  if (accountId === null) return null;
  if (what === "group") {
    const groupId = await openGroup(stage, accountId, worthNano);
    if (groupId === null) return null;
    const first = await openKey(stage, accountId, null, groupId);
    const second = await openKey(stage, accountId, null, groupId);
    return first === null || second === null
      ? null
      : { accountId, budgetId: groupId, keys: [first, second] };
  }
  const key = await openKey(stage, accountId, what === "key" ? worthNano : null);
  return key === null
    ? null
    : { accountId, budgetId: what === "key" ? key.keyId : null, keys: [key] };
}

/** Streams on little money, which end when it is gone. */
export async function streamUntilBroke(stage: Stage, client: string): Promise<void> {
  const chance = stage.chance(client);
  const count = counter();
  while (stage.running) {
    const name = `${client}-${count()}`;
    const accountId = await openAccount(stage, name, BigInt(chance.between(1, 9)) * FIXED_NANO);
    const key = accountId === null ? null : await openKey(stage, accountId);
    if (key === null) return;
    for (let number = 1; number < 30 && stage.running; number++) {
      const { chat, wish } = nextOrder(chance, name, key, number);
      const long = { ...wish, directives: "tokens=800 chunkDelay=0", leaveAfter: null };
      const spent = { ...chat, model: "talk", stream: true, idempotencyKey: null };
      const gateway = chance.between(0, stage.fleet.size - 1);
      const { status } = await askChat(stage, spent, key.secret, long, gateway);
      if (spent.attempts.length > 0) stage.trace.chats.push(spent);
      else await sleep(RETRY_MS);
      if (status === 402) break;
    }
  }
}

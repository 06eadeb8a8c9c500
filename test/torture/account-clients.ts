/**
 * What customers and operators do beside chatting: keys come and go, limits fall, accounts are
 * blocked, money comes in, pictures are ordered.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { deleteKey } from "../../src/business/keys/delete-key.ts";
import { blockAccount, unblockAccount } from "../../src/business/operate/block-account.ts";
import { changeAccountKey } from "../../src/business/panel/account/change-account-key.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { nano } from "../../src/kernel/money.ts";
import { askChat } from "./ask-chat.ts";
import { credit, insist, openKey, type Key } from "./customers.ts";
import { counter, type Stage } from "./stage.ts";
import { PICTURE_MODEL } from "./torture-catalogue.ts";
import { DIALECTS, type ChatTrace, type Closure } from "./trace.ts";

const OPERATOR = { memberId: randomUUID(), email: "operator@example.test" };

/** Short requests with a key that something is done to, while `busy`. */
async function useKey(stage: Stage, client: string, key: Key, busy: () => boolean): Promise<void> {
  const chance = stage.chance(client);
  const count = counter();
  while (busy()) {
    const chat: ChatTrace = {
      marker: `t-${client}-${count()}`,
      client,
      accountId: key.accountId,
      keyId: key.keyId,
      model: "talk",
      dialect: chance.oneOf(DIALECTS),
      stream: chance.percent(50),
      idempotencyKey: null,
      store: chance.percent(50),
      previous: null,
      attempts: [],
    };
    const directives = `tokens=${chance.between(5, 60)} chunkDelay=5`;
    const wish = { directives, maxTokens: 200, leaveAfter: null };
    await askChat(stage, chat, key.secret, wish, chance.between(0, stage.fleet.size - 1));
    if (chat.attempts.length > 0) stage.trace.chats.push(chat);
    await sleep(30);
  }
}

/** Makes sure that something is closed, and writes down from when on it is. */
export async function close(
  stage: Stage,
  closure: Pick<Closure, "what" | "keyIds" | "accountId">,
  work: () => Promise<unknown>,
): Promise<Closure | null> {
  if ((await insist(stage, async () => ({ done: await work() }))) === null) return null;
  const closed = { ...closure, fromMs: stage.nowMs(), untilMs: Infinity };
  stage.trace.closures.push(closed);
  return closed;
}

/** A change that came through although its answer did not is a conflict when it is tried again. */
async function once(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "conflict")) throw error;
  }
}

/** A key is made, used from two sides, and deleted, limited or blocked amid its use. */
export async function openAndClose(stage: Stage, client: string, accountId: string): Promise<void> {
  const chance = stage.chance(client);
  const count = counter();
  while (stage.running) {
    const round = count();
    const key = await openKey(stage, accountId);
    if (key === null) return;
    let busy = true;
    const isBusy = (): boolean => busy && stage.running;
    const users = [1, 2].map((user) => useKey(stage, `${client}-${round}-${user}`, key, isBusy));
    await sleep(chance.between(200, 1_500));
    await closeSomehow(stage, chance.between(1, 3), key, chance.between(300, 1_200));
    busy = false;
    await Promise.all(users);
  }
}

async function closeSomehow(stage: Stage, how: number, key: Key, forMs: number): Promise<void> {
  const { accountId, keyId, hash } = key;
  const { db } = stage;
  if (how === 1) {
    await close(stage, { what: "deleted key", accountId, keyIds: [keyId] }, () =>
      deleteKey(db, { hash, accountId }),
    );
    await sleep(forMs);
  } else if (how === 2) {
    const lowered = { amountNano: nano(1n), period: "total" as const };
    const closure = await close(stage, { what: "lowered limit", accountId, keyIds: [keyId] }, () =>
      changeAccountKey(db, systemClock, accountId, hash, { limit: lowered }),
    );
    await sleep(forMs);
    if (closure !== null) closure.untilMs = stage.nowMs();
    await insist(stage, () => changeAccountKey(db, systemClock, accountId, hash, { limit: null }));
    await sleep(forMs);
  } else {
    const closure = await close(stage, { what: "blocked account", accountId, keyIds: null }, () =>
      once(() => blockAccount(db, OPERATOR, accountId, "torture")),
    );
    await sleep(forMs);
    if (closure !== null) closure.untilMs = stage.nowMs();
    await insist(stage, () => once(() => unblockAccount(db, OPERATOR, accountId, null)));
    await sleep(forMs);
  }
}

/** Each credit is sent again, as who is not sure does; it counts once. */
export async function payIn(stage: Stage, client: string, accountId: string): Promise<void> {
  const chance = stage.chance(client);
  const count = counter();
  while (stage.running) {
    const reference = `${client}-${count()}`;
    const amountNano = BigInt(chance.between(1, 1_000_000));
    await credit(stage, accountId, amountNano, reference);
    for (let again = chance.between(0, 2); again > 0; again--)
      await insist(stage, () =>
        topUp(stage.db, { accountId, amountNano: nano(amountNano), reference }),
      );
    await sleep(chance.between(100, 600));
  }
}

/** Orders pictures, at times twice with one idempotency key, at times cancels. */
export async function orderPictures(stage: Stage, client: string, key: Key): Promise<void> {
  const chance = stage.chance(client);
  const count = counter();
  while (stage.running) {
    const tag = `${client}-${count()}`;
    const idempotent = chance.percent(50);
    const times = idempotent ? chance.between(1, 3) : 1;
    const words = `run=${chance.between(50, 900)} tag=${tag}${chance.percent(20) ? " fail=content" : ""}`;
    let taskId: string | null = null;
    for (let time = 0; time < times; time++) {
      const gateway = chance.between(0, stage.fleet.size - 1);
      taskId ??= await orderPicture(stage, gateway, key, words, idempotent ? tag : null);
    }
    const { accountId, keyId } = key;
    stage.trace.tasks.push({ client, accountId, keyId, tag, taskId });
    await sleep(chance.between(300, 2_000));
  }
}

async function orderPicture(
  stage: Stage,
  gateway: number,
  key: Key,
  words: string,
  idempotencyKey: string | null,
): Promise<string | null> {
  const url = stage.fleet.urlOf(gateway);
  if (url === null) return null;
  try {
    const response = await fetch(`${url}/v1/tasks/${PICTURE_MODEL}`, {
      method: "POST",
      headers: {
        "x-api-key": key.secret,
        "content-type": "application/json",
        ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
      },
      body: JSON.stringify({ prompt: `A red fox. [[sandbox: ${words}]]` }),
      signal: AbortSignal.timeout(15_000),
    });
    const { data } = (await response.json()) as { data: { taskId: string } | null };
    return response.status === 200 ? (data?.taskId ?? null) : null;
  } catch {
    return null;
  }
}

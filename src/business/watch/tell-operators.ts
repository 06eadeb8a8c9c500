/**
 * Tells operators of troubles of the installation: each once, by mail and Telegram, whichever process
 * looks, and again only when it was over for a while.
 */
import { listOperators } from "../../accounts/members.store.ts";
import {
  OPERATOR_ALERT_KINDS,
  type OperatorAlertKind,
} from "../../contract/enums/operator-alert-kind.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Seal } from "../../kernel/seal.ts";
import { enqueueMail } from "../mail/outbox.store.ts";
import { chatsOf } from "../telegram/chats.store.ts";
import { enqueueMessage } from "../telegram/messages.store.ts";
import { findTroubles, type Trouble } from "./find-troubles.ts";
import {
  lockOperatorRule,
  noteTroubles,
  operatorRules,
  type OperatorRule,
} from "./operator-rules.store.ts";
import { troubleText } from "./trouble-text.ts";

export interface TellDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Of the outboxes. */
  readonly seal: Seal;
  /** Where people reach the panel, without a slash at its end. */
  baseUrl(): string;
}

/** A trouble that comes back sooner is the same one: a route that fails every other minute is told once. */
const OVER_MS = 15 * 60_000;
/** How exactly it is known when a trouble was seen last: not every look writes. */
const NOTED_MS = 60_000;

/** One look. */
export async function tellOperators(deps: TellDeps): Promise<void> {
  const { db, clock } = deps;
  const rules = await operatorRules(db);
  const percent = rules.find(({ kind }) => kind === "margin_below")?.percent ?? 0;
  const troubles = await findTroubles(db, { now: clock.now(), percent });
  for (const kind of OPERATOR_ALERT_KINDS) {
    const rule = rules.find((one) => one.kind === kind);
    if (rule === undefined || isSettled(rule, troubles[kind], clock.now())) continue;
    await db.transaction((tx) => tellOf(deps, tx, kind, troubles[kind]));
  }
}

/** Nothing is to be told, and nothing to be noted. */
function isSettled(rule: OperatorRule, troubles: readonly Trouble[], now: Date): boolean {
  const seen = Object.keys(rule.notified);
  if (!rule.enabled) return seen.length === 0;
  const kept = troubles.every(({ subject }) => {
    const at = rule.notified[subject];
    return at !== undefined && now.getTime() - Date.parse(at) < NOTED_MS;
  });
  return kept && seen.every((subject) => !isOver(rule, subject, now));
}

function isOver({ notified }: OperatorRule, subject: string, now: Date): boolean {
  return now.getTime() - Date.parse(notified[subject] ?? "") >= OVER_MS;
}

/** Under the rule's lock: what another process told of meanwhile is not told again. */
async function tellOf(
  deps: TellDeps,
  tx: Tx,
  kind: OperatorAlertKind,
  troubles: readonly Trouble[],
): Promise<void> {
  const rule = await lockOperatorRule(tx, kind);
  // Switched on again, it tells of what there is then.
  if (!rule.enabled) return noteTroubles(tx, kind, {}, false);
  const now = deps.clock.now();
  const lasting = Object.entries(rule.notified).filter(([subject]) => !isOver(rule, subject, now));
  // Still noted, it was never seen to be over: at most no process looked for a while.
  const fresh = troubles.filter(({ subject }) => rule.notified[subject] === undefined);
  const seen = troubles.map(({ subject }) => [subject, now.toISOString()] as const);
  await noteTroubles(tx, kind, Object.fromEntries([...lasting, ...seen]), fresh.length > 0);
  if (fresh.length > 0) await write(deps, tx, rule, fresh);
}

async function write(
  { seal, baseUrl }: TellDeps,
  tx: Tx,
  { kind, percent, mail, telegram }: OperatorRule,
  troubles: readonly Trouble[],
): Promise<void> {
  const operators = await listOperators(tx);
  const chats = await chatsOf(
    tx,
    operators.map(({ memberId }) => memberId),
  );
  for (const { memberId, email, language } of operators) {
    const about = { troubles, percent, baseUrl: baseUrl() };
    const { subject, text } = troubleText(language, kind, about);
    if (mail)
      await enqueueMail(tx, seal, { to: email, kind: "operator-alert", subject, text, html: null });
    const chatId = chats.get(memberId)?.chatId;
    if (telegram && chatId !== undefined)
      await enqueueMessage(tx, seal, { memberId, chatId, text: `${subject}\n\n${text}` });
  }
}

/**
 * The auditor: joins what clients got, what the upstream counted and what the books say, and names
 * whatever does not go together.
 */
import type { AuditSubject } from "./audit-subject.ts";
import { auditBooks } from "./audit-books.ts";
import { indexEndings, type EndingIndex } from "./endings-by-request.ts";
import { priceOf } from "./torture-catalogue.ts";
import type { Attempt, ChatTrace, Trace } from "./trace.ts";
import { undisturbedMs } from "./troubles.ts";
import type { UpstreamCall } from "./upstream-count.ts";
import type { Violation } from "./violation.ts";

/** Of the text that a client has read, so much has to be paid: our count and the sandbox's may differ. */
const LEAST_OF_READ = { times: 8n, of: 10n };
/**
 * Where an upstream tells no usage, the gateway's count of a prompt may be above the sandbox's: by
 * the beginning of the answer, by five tokens and a line's end for each message where the sandbox
 * has four, and by these four where one side goes on, which is one message there.
 */
const FRAME_TOKENS = { answer: 1, message: 2, again: 4 };
/** Characters of the shortest word that is surely a token. */
const CHARACTERS_PER_TOKEN = 12;

export function audit(subject: AuditSubject): Violation[] {
  const index = indexEndings(subject.books);
  return [
    ...subject.trace.chats.flatMap((chat) => auditChat(chat, subject, index)),
    ...auditUnknown(subject, index),
    ...auditClosures(subject.trace),
    ...auditPlacements(subject, index),
    ...auditBooks(subject, index),
  ];
}

function auditChat(chat: ChatTrace, subject: AuditSubject, index: EndingIndex): Violation[] {
  const found: Violation[] = [];
  const report = (what: string, why: string): void =>
    void found.push({ what, why, marker: chat.marker, chat });
  const calls = subject.calls.get(chat.marker) ?? [];
  for (const attempt of chat.attempts) {
    if (attempt.code === "previous_response_not_found")
      report("kept answer lost", `${chat.previous?.responseId} said that it is kept, and is not`);
    if (attempt.requestId === null || attempt.originalId !== null) continue;
    const endings = index.ofRequest(attempt.requestId);
    if (endings.length > 1)
      report("ended twice", `${endings.length} endings of request ${attempt.requestId}`);
    const chargedNano = endings.reduce((sum, ending) => sum + ending.amountNano, 0n);
    if (chargedNano > 0n) {
      const mostNano = mostOf(chat, calls);
      if (mostNano === null)
        report("charge without delivery", `${chargedNano} charged, no call of the upstream`);
      else if (chargedNano > mostNano)
        report("charged too much", `${chargedNano} charged, all of it costs ${mostNano}`);
    }
    if (attempt.status !== 200) {
      if (chargedNano > 0n)
        report("refusal charged", `status ${attempt.status}, ${chargedNano} charged`);
    } else if (attempt.end === "complete")
      auditComplete(chat, attempt, chargedNano, subject, index, report);
    else auditBroken(chat, attempt, subject, index, report);
  }
  if (chat.idempotencyKey !== null) auditIdempotent(chat, index, report);
  return found;
}

type Report = (what: string, why: string) => void;

/** An answer that was ended is charged once, as it says itself. */
function auditComplete(
  chat: ChatTrace,
  { requestId, usage, costNano }: Attempt,
  chargedNano: bigint,
  { books }: AuditSubject,
  index: EndingIndex,
  report: Report,
): void {
  const endings = index.ofRequest(requestId ?? "");
  if (endings.length === 0)
    return report("nothing in the books", `answer ${requestId} was ended, and has no entry`);
  const [ending] = endings;
  const lossNano = books.lossNano.get(ending?.reference ?? "") ?? 0n;
  if (chargedNano === 0n && lossNano === 0n)
    report("answer without charge", `answer ${requestId} was ended, and nothing was charged`);
  if (costNano !== null && costNano !== chargedNano)
    report("another cost shown", `the header says ${costNano}, ${chargedNano} was charged`);
  if (usage === null) return;
  const shownNano = priceOf(chat.model, usage.prompt, usage.completion);
  if (chargedNano + lossNano !== shownNano)
    report(
      "another usage shown",
      `the usage costs ${shownNano}, ${chargedNano} was charged and ${lossNano} lost`,
    );
}

/**
 * What a kill gives away is at most a second of an answer: a request is noted after a quarter of a
 * second, by the next turn of a timer of as much.
 */
const UNNOTED_MS = 1_000;

/** An answer that broke off, or that its client left, costs what was delivered of it. */
function auditBroken(
  chat: ChatTrace,
  { requestId, text, end, startedMs, firstMs, endedMs, gateway }: Attempt,
  { books, calls, troubles }: AuditSubject,
  index: EndingIndex,
  report: Report,
): void {
  const [ending] = index.ofRequest(requestId ?? "");
  if (ending === undefined) {
    // What had hardly begun when its process was killed, or stood still until another judged it
    // dead, may be mentioned nowhere: it is given away. From its first words on, because a machine
    // with too much to do may let a request wait before it is admitted.
    const sinceSentMs = undisturbedMs(troubles, gateway, startedMs);
    // Sent to a process that stood still, it may be answered by one that is about to be judged dead.
    const sinceWordsMs =
      firstMs === null ? 0 : (undisturbedMs(troubles, gateway, firstMs) ?? endedMs - firstMs);
    if (sinceSentMs === null || sinceWordsMs >= UNNOTED_MS)
      report("nothing in the books", `answer ${requestId} began, and has no entry`);
    return;
  }
  // What a killed process had not saved is given away; what is not kept for its idempotency key is
  // asked again.
  if (ending.recovered || chat.idempotencyKey !== null || !chat.stream || text === "") return;
  const promptTokens = Math.min(
    ...(calls.get(chat.marker) ?? []).map(({ figures }) => figures?.prompt ?? 0),
  );
  const readTokens = Math.floor(text.length / CHARACTERS_PER_TOKEN);
  const readNano = priceOf(chat.model, promptTokens, readTokens);
  const paidNano = ending.amountNano + (books.lossNano.get(ending.reference) ?? 0n);
  if (paidNano * LEAST_OF_READ.of < readNano * LEAST_OF_READ.times)
    report(
      "delivered and not charged",
      `${text.length} characters came (${end}), worth ${readNano} at least; ${paidNano} was charged, state ${ending.state}`,
    );
}

/** Whatever was tried with one key, one answer of it is charged. */
function auditIdempotent(chat: ChatTrace, index: EndingIndex, report: Report): void {
  const ids = new Set(
    chat.attempts.flatMap(({ requestId, originalId }) =>
      [requestId, originalId].filter((id) => id !== null),
    ),
  );
  const charged = [...ids].filter((id) => index.chargeOf(id) > 0n);
  if (charged.length > 1)
    report("charged twice for one key", `requests ${charged.join(" and ")} are both charged`);
  const replay = chat.attempts.find(
    ({ originalId, end, status }) => originalId !== null && end === "complete" && status === 200,
  );
  const original = replay?.originalId ?? null;
  if (original !== null && index.ofRequest(original).length !== 1)
    report("replay without a charge", `it is of ${original}, which is not in the books`);
  const texts = new Set(
    chat.attempts
      .filter(({ end, status }) => end === "complete" && status === 200)
      .map(({ text }) => text),
  );
  if (texts.size > 1) report("two answers for one key", `${texts.size} different texts`);
}

/** What the request could cost at most: the dearest of all that the upstream said to it. */
function mostOf(chat: ChatTrace, calls: readonly UpstreamCall[]): bigint | null {
  if (calls.length === 0) return null;
  const prices = calls.map(({ figures, roles }) =>
    figures === null
      ? 0n
      : priceOf(chat.model, figures.prompt + frameTokens(roles), figures.completion),
  );
  return prices.reduce((most, price) => (price > most ? price : most), 0n);
}

function frameTokens(roles: readonly string[]): number {
  const { answer, message, again } = FRAME_TOKENS;
  const repeated = roles.filter((role, index) => role === roles[index - 1]).length;
  return answer + roles.length * message + repeated * again;
}

/**
 * A request whose answer never came may be charged, and no client knows its name. So by key: there
 * are at most as many charges that no client knows as there were such attempts.
 */
function auditUnknown({ trace, books }: AuditSubject, index: EndingIndex): Violation[] {
  const known = new Set<string>();
  const unknown = new Map<string, number>();
  const lastOf = new Map<string, ChatTrace>();
  for (const chat of trace.chats) {
    lastOf.set(chat.keyId, chat);
    for (const { requestId, originalId } of chat.attempts)
      for (const id of [requestId, originalId]) if (id !== null) known.add(id);
    const lost = chat.attempts.filter(({ requestId }) => requestId === null).length;
    const paid = chat.attempts.some(
      ({ requestId, originalId }) =>
        index.chargeOf(requestId ?? "") > 0n || index.chargeOf(originalId ?? "") > 0n,
    );
    const may = chat.idempotencyKey === null ? lost : lost > 0 && !paid ? 1 : 0;
    unknown.set(chat.keyId, (unknown.get(chat.keyId) ?? 0) + may);
  }
  const orphans = new Map<string, string[]>();
  for (const { entryId, reference, kind, keyId } of books.endings) {
    if (kind !== "charge" || !reference.startsWith("request:") || known.has(entryId)) continue;
    orphans.set(keyId ?? "", [...(orphans.get(keyId ?? "") ?? []), entryId]);
  }
  return [...orphans].flatMap(([keyId, ids]): Violation[] => {
    const may = unknown.get(keyId) ?? 0;
    if (ids.length <= may) return [];
    const chat = lastOf.get(keyId) ?? null;
    const why = `key ${keyId}: ${ids.length} charges of no known request (${ids.slice(0, 3).join(", ")}), ${may} attempts without an answer`;
    return [{ what: "charge of no request", why, marker: chat?.marker ?? null, chat }];
  });
}

/** What was closed when its answer said so admits nothing until it is opened again. */
function auditClosures({ chats, closures }: Trace): Violation[] {
  return closures.flatMap((closure) =>
    chats
      .filter(
        ({ keyId, accountId }) =>
          accountId === closure.accountId && (closure.keyIds?.includes(keyId) ?? true),
      )
      .flatMap((chat) =>
        chat.attempts
          .filter(
            ({ startedMs, endedMs, status, originalId }) =>
              status === 200 &&
              originalId === null &&
              startedMs > closure.fromMs &&
              endedMs < closure.untilMs,
          )
          .map(({ requestId, startedMs }) => ({
            what: `served with a ${closure.what}`,
            why: `request ${requestId} began ${Math.round(startedMs - closure.fromMs)} ms after it`,
            marker: chat.marker,
            chat,
          })),
      ),
  );
}

/** What was asked and answered while its key lay in a group is charged to that group. */
function auditPlacements({ trace }: AuditSubject, index: EndingIndex): Violation[] {
  return trace.placements.flatMap((placement) =>
    trace.chats
      .filter(({ keyId }) => keyId === placement.keyId)
      .flatMap((chat) =>
        chat.attempts
          .filter(
            ({ startedMs, endedMs, requestId }) =>
              requestId !== null && startedMs > placement.fromMs && endedMs < placement.untilMs,
          )
          .flatMap(({ requestId }) => index.ofRequest(requestId ?? ""))
          .filter(({ groupId }) => groupId !== placement.groupId)
          .map(({ reference, groupId }) => ({
            what: "charged in another group",
            why: `${reference} is charged in ${groupId}, its key lay in ${placement.groupId}`,
            marker: chat.marker,
            chat,
          })),
      ),
  );
}

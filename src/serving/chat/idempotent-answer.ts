/**
 * The answer of a request with an idempotency key: all that its caller gets is kept, and is read to
 * its end even where the caller has left.
 */
import { isDiskFull } from "../../db/database-errors.ts";
import { toFault, type Fault } from "../../kernel/faults.ts";
import type { RecordClaim, RecordEnd } from "../../idempotency/record.ts";
import { KEPT_ANSWER_LIMIT_BYTES } from "../../idempotency/records.store.ts";
import type { Idempotency } from "../admission/idempotency.ts";
import type { AnswerEnd } from "./answer-end.ts";
import type { ChatCall, ChatReply } from "./chat-call.ts";

export interface IdempotentAnswer {
  readonly claim: RecordClaim;
  /**
   * In place of the caller's own. Its caller is gone when the real one has been for as long as its
   * answer is waited for.
   */
  readonly reply: ChatReply;
  /**
   * Keeps the answer with this end, or nothing for null; says how the record ends with the hold.
   * Only an answered request may be charged.
   */
  end(end: AnswerEnd | null): Promise<RecordEnd>;
  /**
   * Why it could not be kept: it is not charged, and its caller gets this instead. Null while it
   * could.
   */
  readonly unkept: Fault | null;
}

/**
 * How long the answer of a caller who left is waited for. He will ask for it again, and pays for it
 * once.
 */
const WAITED_FOR_MS = 10 * 60_000;
const STREAM_TYPE = "text/event-stream; charset=utf-8";

export function createIdempotentAnswer(
  deps: Pick<Idempotency, "keep">,
  call: Pick<ChatCall, "reply" | "dialect">,
  claim: RecordClaim,
  waitedForMs = WAITED_FOR_MS,
): IdempotentAnswer {
  const kept = keepReply(call.reply, call.dialect.keepAlive, waitedForMs);
  let unkept: Fault | null = null;
  return {
    claim,
    reply: kept.reply,
    get unkept() {
      return unkept;
    },
    async end(end) {
      const written = kept.over();
      if (end === null) return { ...claim, answered: false };
      const body = end.streamed ? joined(written, end.last) : end.body;
      const contentType = end.streamed ? STREAM_TYPE : end.contentType;
      const broken = end.streamed && end.broken;
      const answer =
        body === null ? null : { status: 200, contentType, streamed: end.streamed, broken, body };
      try {
        const found = await deps.keep(claim, answer);
        return { ...claim, answered: found === "kept" };
      } catch (error) {
        if (isDiskFull(error)) unkept = toFault(error);
        return { ...claim, answered: false };
      }
    },
  };
}

function joined(written: readonly Buffer[] | null, last: Buffer | null): Buffer | null {
  if (written === null) return null;
  return Buffer.concat(last === null ? written : [...written, last]);
}

/**
 * The same reply, whose stream is remembered, keep-alives left out, and whose caller stays on for a
 * while after having left.
 */
function keepReply(
  real: ChatReply,
  keepAlive: Buffer,
  waitedForMs: number,
): {
  readonly reply: ChatReply;
  /** All that was written; null where it was too much. */ over(): readonly Buffer[] | null;
} {
  const listeners: (() => void)[] = [];
  let written: Buffer[] | null = [];
  let writtenBytes = 0;
  let waiting: (() => void) | null = null;
  let gone = false;
  let timer: NodeJS.Timeout | null = null;
  let over = false;

  function remember(bytes: Buffer): void {
    if (written === null || bytes === keepAlive) return;
    writtenBytes += bytes.length;
    if (writtenBytes > KEPT_ANSWER_LIMIT_BYTES) written = null;
    else written.push(bytes);
  }

  real.onGone(() => {
    // The client has left, so the answer no longer waits for it to read.
    waiting?.();
    if (over) return;
    timer = setTimeout(() => {
      gone = true;
      for (const listener of listeners.splice(0)) listener();
    }, waitedForMs);
    timer.unref();
  });

  return {
    reply: {
      get gone() {
        return gone;
      },
      onGone(listener) {
        if (gone) listener();
        else listeners.push(listener);
      },
      showStanding: (standing) => real.showStanding(standing),
      note: (name, value) => real.note(name, value),
      json: (status, headers, body) => real.json(status, headers, body),
      startStream: () => real.startStream(),
      get streamStarted() {
        return real.streamStarted;
      },
      write(bytes) {
        remember(bytes);
        return real.write(bytes);
      },
      onDrain(listener) {
        waiting = listener;
        if (real.gone) listener();
        else real.onDrain(listener);
      },
      end: (last) => real.end(last),
      breakOff: (last) => real.breakOff(last),
    },
    over() {
      over = true;
      if (timer !== null) clearTimeout(timer);
      const all = written;
      written = null;
      return all;
    },
  };
}

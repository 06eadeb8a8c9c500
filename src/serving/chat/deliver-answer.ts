/**
 * The three ways in which an answer reaches its caller: passed on as it comes, put together from a
 * stream, or whole as it came; and what each comes to.
 */
import type { AnswerPath } from "../../protocol/answer-path.ts";
import type { AnswerIdentity, StreamWriter } from "../../protocol/chat-dialect.ts";
import { ABSENT_USAGE } from "../../protocol/usage-reading.ts";
import { Fault } from "../../kernel/faults.ts";
import { formatRequestId } from "../../kernel/ids.ts";
import { faultOfBreak } from "../routing/upstream-failure.ts";
import type { FetchedAnswer } from "./ask-upstream.ts";
import { answered, released, type ChatOutcome } from "./chat-outcome.ts";
import type { ChatRun } from "./chat-run.ts";
import { sealOf } from "./chat-run.ts";
import type { Delivered } from "./final-charge.ts";
import type { Relay, RelayEnd, StreamOutput } from "./relay-stream.ts";
import { isKept, stateOf, streamEnd } from "./stream-end.ts";

/** Where a stream goes, and what comes of it. */
export interface Delivery extends StreamOutput {
  firstContentMs: number | null;
  /** What writes the stream; absent where the answer is given whole. */
  readonly writer?: StreamWriter;
  /** Throws a Fault where its caller gets nothing of it. */
  outcome(relay: Relay, end: RelayEnd): ChatOutcome;
}

export function passOn(run: ChatRun, path: AnswerPath): Delivery {
  const { reply } = run.call;
  const writer = path.createWriter(identityOf(run, run.request.includeUsage));
  const delivery: Delivery = {
    firstContentMs: null,
    writer,
    write(frames) {
      const nowMs = run.deps.clock.monotonicMs();
      delivery.firstContentMs ??= nowMs;
      reply.startStream();
      const bytes = writer.writeAll(frames);
      // What says nothing to this client leaves it as silent as an upstream that sends nothing.
      if (bytes === null) return true;
      run.lastWriteMs = nowMs;
      return reply.write(bytes);
    },
    onDrain: (listener) => reply.onDrain(listener),
    outcome({ progress }, end) {
      const { anything } = progress;
      // A broken stream that delivered nothing costs nothing, whatever usage it claimed.
      const usage = end.kind === "complete" || anything ? progress.usage : ABSENT_USAGE;
      const delivered = { anything, text: progress.text() };
      const kept = isKept(end, anything);
      return answered(run, { state: stateOf(run, end), usage, delivered, kept }, (charged) =>
        streamEnd(end, writer, charged, (fault) => errorEvent(run, fault, writer)),
      );
    },
  };
  return delivery;
}

/**
 * For a whole answer whose worst case is too much to hold at once: streamed from the upstream under
 * a rolling hold.
 */
export function putTogether(run: ChatRun, path: AnswerPath): Delivery {
  const collector = path.createCollector(identityOf(run, true));
  const delivery: Delivery = {
    firstContentMs: null,
    write(frames) {
      delivery.firstContentMs ??= run.deps.clock.monotonicMs();
      for (const frame of frames) collector.push(frame);
      return true;
    },
    onDrain: () => undefined,
    outcome({ progress }, end) {
      // Of a broken whole answer nothing reaches the caller, so nothing is charged.
      if (end.kind === "shut-down") throw new Fault("overloaded", { retryAfterSeconds: 1 });
      if (end.kind === "interrupted" || end.kind === "lost")
        throw faultOfBreak(end.kind === "interrupted" ? end.error : null);
      if (end.kind === "client-gone") return released("client_gone", null);
      const { usage, anything } = progress;
      const delivered = { anything, text: progress.text() };
      return answered(
        run,
        { state: stateOf(run, end), usage, delivered, kept: true },
        (charged) => ({
          streamed: false,
          contentType: "application/json",
          body: collector.finish(charged, end.kind === "stopped-by-balance"),
        }),
      );
    },
  };
  return delivery;
}

/** A whole answer whose worst case is held: one request, one body. */
export function giveWhole(
  run: ChatRun,
  { contentType, body, reading, path }: FetchedAnswer,
): ChatOutcome {
  const { usage } = reading;
  const state = run.call.reply.gone ? "client_gone" : "completed";
  const delivered = new WholeDelivered(reading);
  return answered(run, { state, usage, delivered, kept: true }, (charged) => ({
    streamed: false,
    // What the body has been read as, whatever the upstream calls it: clients parse nothing else.
    contentType:
      !path.translated && contentType.toLowerCase().includes("json")
        ? contentType
        : "application/json",
    body: path.wholeAnswer(reading, body, charged, identityOf(run, true)),
  }));
}

/** Its text is read when it is asked for: only what is counted needs it. */
class WholeDelivered implements Delivered {
  private readonly reading: FetchedAnswer["reading"];

  constructor(reading: FetchedAnswer["reading"]) {
    this.reading = reading;
  }
  get anything(): boolean {
    return this.reading.hasContent;
  }
  get text(): string {
    return this.reading.text;
  }
}

/** `writer`: what has written the stream so far; absent where nothing but signs of life was sent. */
export function errorEvent(run: ChatRun, fault: Fault, writer?: StreamWriter): Buffer {
  const { dialect, requestId } = run.call;
  return dialect.errorEvent(
    fault,
    formatRequestId(requestId),
    writer ?? dialect.createNativeWriter(identityOf(run, run.request.includeUsage)),
  );
}

/** What an answer says of itself where its upstream said nothing, or must not be quoted. */
function identityOf(run: ChatRun, includeUsage: boolean): AnswerIdentity {
  const identity = {
    requestId: run.call.requestId,
    created: Math.floor(run.call.startedAt.getTime() / 1000),
    model: run.model.id,
    answerModel: run.answerModel,
    promptTokens: Math.min(run.request.usualTokens, run.model.contextTokens),
    includeUsage,
  };
  if (run.call.dialect.repeatsRequest !== true) return identity;
  const { request, deps } = run;
  const keeps = (run.call.conversation?.keep ?? null) !== null;
  const seconds = (): number => Math.floor(deps.clock.now().getTime() / 1000);
  return { ...identity, asked: { request, seal: sealOf(run), keeps, seconds } };
}

/** The two ways in which an answer reaches its caller, whole or streamed, and what each comes to. */
import { Fault, toFault } from "../../kernel/faults.ts";
import type { Clock } from "../../kernel/clock.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { StreamWriter } from "../../protocol/chat-dialect.ts";
import { withoutEcho } from "../../protocol/calls/text-input.ts";
import { ABSENT_USAGE } from "../../protocol/usage-reading.ts";
import type { StreamEnd } from "../chat/answer-end.ts";
import type { ChatState } from "../../contract/enums/chat-state.ts";
import { relayStream, type RelayEnd, type RelayHold } from "../chat/relay-stream.ts";
import { isKept } from "../chat/stream-end.ts";
import { faultOfBreak, reasonOfBreak } from "../routing/upstream-failure.ts";
import { stoppedBy, type StreamedCallAnswer, type WholeCallAnswer } from "./call-attempts.ts";
import type { CallOutcome } from "./call-outcome.ts";
import { countsTokens } from "./charge-call.ts";
import { streamingOf, type CallRun } from "./call-run.ts";

/** The longest answer that there can be is held for. */
const HELD_WHOLE: RelayHold = {
  covers: () => true,
  wantsMore: () => false,
  grow: () => Promise.resolve("covered"),
  growExactly: () => Promise.resolve("covered"),
};

const CUT_OFF = new Fault("overloaded", {
  message: "The gateway is restarting; the answer was cut off here.",
});

/** Rejects with what completing the answer does: nothing of it reaches the caller then. */
export async function giveWhole(run: CallRun, whole: WholeCallAnswer): Promise<CallOutcome> {
  const { reading, ready, place } = whole;
  run.served = { route: ready.route, place };
  const { answerModel, call } = run;
  const answer = await completed(run, whole);
  return {
    state: call.reply.gone ? "client_gone" : "completed",
    usage: reading.usage,
    delivered: { anything: true, text: reading.text, counts: reading.counts ?? {} },
    finishReason: reading.finishReason,
    end(usage) {
      const { contentType, body } = call.dialect.protocol.writeAnswer(answer, {
        answerModel,
        usage,
      });
      return { streamed: false, contentType, body };
    },
    kept: true,
    fault: null,
  };
}

async function completed(
  run: CallRun,
  { answer, ready }: WholeCallAnswer,
): Promise<WholeCallAnswer["answer"]> {
  const { dialect } = run.call;
  if (dialect.complete === undefined) return answer;
  const { upstream } = ready;
  const left = new AbortController();
  const exchange = { abort: () => left.abort() };
  run.underWay = { exchange, onDisconnect: upstream.onDisconnect };
  if (run.call.reply.gone && upstream.onDisconnect === "abort") left.abort();
  if (stoppedBy(run) !== null) left.abort();
  try {
    left.signal.throwIfAborted();
    return await dialect.complete(answer, { upstream, signal: left.signal });
  } catch (error) {
    const stopped = stoppedBy(run);
    if (stopped !== null) throw stopped;
    if (!left.signal.aborted) noteBreak(run, { reason: toFault(error).message });
    throw error;
  } finally {
    run.underWay = null;
  }
}

/** Resolves when all of it has come. */
export async function passOn(
  run: CallRun,
  { stream, ready, place }: StreamedCallAnswer,
  clock: Pick<Clock, "monotonicMs">,
): Promise<CallOutcome> {
  const { call, asked } = run;
  const { reply } = call;
  const streaming = streamingOf(run);
  const writer = streaming.createWriter({
    requestId: call.requestId,
    created: Math.floor(call.startedAt.getTime() / 1000),
    model: run.model.id,
    answerModel: run.answerModel,
    promptTokens: run.bound.inputTokens,
    includeUsage: asked.includeUsage,
  });
  run.served = { route: ready.route, place };
  const relay = relayStream(
    stream,
    {
      write(frames) {
        const nowMs = clock.monotonicMs();
        run.firstContentMs ??= nowMs;
        begin(run);
        const bytes = writer.writeAll(frames);
        if (bytes === null) return true;
        run.lastWriteMs = nowMs;
        return reply.write(bytes);
      },
      onDrain: (listener) => reply.onDrain(listener),
    },
    HELD_WHOLE,
  );
  run.relay = relay;
  run.underWay = { exchange: stream.exchange, onDisconnect: ready.upstream.onDisconnect };
  if (reply.gone) relay.clientGone(run.idempotent === null ? ready.upstream.onDisconnect : "abort");
  if (run.cut) relay.shutDown();
  const end = await relay.end;
  run.call.trace.answered();
  const { progress } = relay;
  const { anything } = progress;
  if (end.kind === "interrupted") noteBreak(run, reasonOfBreak(end));
  return {
    state: stateOf(run, end),
    // A broken stream that delivered nothing costs nothing, whatever usage it claimed.
    usage: end.kind === "complete" || anything ? progress.usage : ABSENT_USAGE,
    delivered: {
      anything: anything || end.kind === "complete",
      text: withoutEcho(progress.text(), asked.echoed),
      counts: {},
    },
    finishReason: stream.reader.finishReason,
    end: (usage) => ({
      ...endOf(run, end, (done) => writer.end(done, usage)),
      contentType: streaming.contentType,
    }),
    kept: isKept(end, anything),
    fault: null,
  };
}

/** Commits the head of a stream; a second call does nothing. */
export function begin(run: CallRun): void {
  run.call.reply.startStream({
    "content-type": streamingOf(run).contentType,
    // What is paid for by the piece is known before, and is not paid for in part.
    ...(countsTokens(run.model.price) ? {} : { "x-tollgate-cost": formatRoubles(run.atMostNano) }),
  });
}

function endOf(
  run: CallRun,
  end: RelayEnd,
  last: (done: Parameters<StreamWriter["end"]>[0]) => Buffer | null,
): StreamEnd {
  const broken = (fault: Fault | null): StreamEnd => ({
    streamed: true,
    last: fault === null ? null : streamingOf(run).errorEvent(fault),
    broken: true,
  });
  switch (end.kind) {
    case "complete":
      return { streamed: true, last: last(end.done), broken: false };
    case "client-gone":
      return broken(null);
    case "interrupted":
      return broken(faultOfBreak(end.error));
    case "shut-down":
      return broken(CUT_OFF);
    case "lost":
    case "stopped-by-balance":
      return broken(faultOfBreak(null));
  }
}

function stateOf({ call }: CallRun, end: RelayEnd): ChatState {
  if (end.kind === "complete") return call.reply.gone ? "client_gone" : "completed";
  return end.kind === "client-gone" ? "client_gone" : "interrupted";
}

/** Why an answer broke off half-way, on the attempt that served it: for the operator. */
function noteBreak(run: CallRun, reason: ReturnType<typeof reasonOfBreak>): void {
  const at = run.attempts.findLastIndex(({ outcome }) => outcome === "served");
  const attempt = run.attempts[at];
  if (attempt !== undefined) run.attempts = run.attempts.with(at, { ...attempt, ...reason });
}

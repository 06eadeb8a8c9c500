/**
 * The use case of a chat request: admit it, hold its money, get an answer from the first route that
 * has one, settle, answer.
 */
import type { ChatState } from "../../contract/enums/chat-state.ts";
import { SlotList } from "../../kernel/slot-list.ts";
import { Fault, toFault } from "../../kernel/faults.ts";
import { formatRequestId } from "../../kernel/ids.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { ABSENT_USAGE } from "../../protocol/usage-reading.ts";
import type { Replay } from "../admission/idempotency.ts";
import { createChatAdmission } from "./admit-chat.ts";
import type { ChatAdmissionDeps } from "./admit-chat.ts";
import { composeOnce } from "./answer-end.ts";
import type { AnswerEnd, WholeEnd } from "./answer-end.ts";
import { identityOf } from "./answer-identity.ts";
import type { ChatCall } from "./chat-call.ts";
import type { ChatRun, Settled } from "./chat-run.ts";
import { noteBreak } from "./chat-run.ts";
import { rollingHoldOf } from "./money-of-run.ts";
import { tickRun } from "./tick-run.ts";
import type { LoadShedder } from "../admission/load-shedder.ts";
import type { Relay, RelayEnd, StreamOutput } from "./relay-stream.ts";
import { relayStream } from "./relay-stream.ts";
import { replayAnswer } from "./replay-answer.ts";
import { outputFactorOf } from "./count-factor.ts";
import type { OpenedRoute } from "./ask-upstream.ts";
import type { RouteAttemptsDeps } from "./route-attempts.ts";
import { createRouteAttempts } from "./route-attempts.ts";
import { settleRun } from "./settle-run.ts";
import { faultOfBreak, reasonOfBreak } from "../routing/upstream-failure.ts";
import { isKept, stateOf, streamEnd } from "./stream-end.ts";

/** What is told about a chat request when it is over, for the log and the metrics. */
export interface ChatSummary {
  readonly run: ChatRun;
  readonly state: ChatState;
  readonly settled: Settled;
  readonly fault: Fault | null;
}

export interface ChatServiceDeps extends RouteAttemptsDeps, ChatAdmissionDeps {
  readonly loadShedder: LoadShedder;
  onDone(summary: ChatSummary): void;
  /** Instead of `onDone`, for a request that gets what it got before. */
  onReplayed(call: ChatCall, replay: Replay): void;
}

export interface ChatService {
  /**
   * What a request can be told before anything of it is read: that there is too much to do. Null:
   * it may come in.
   */
  refusal(): Fault | null;
  /**
   * Resolves when the reply is over. Throws a Fault while nothing has been sent; the endpoint
   * renders it.
   */
  serve(call: ChatCall): Promise<void>;
  /** Keep-alives, saved progress, overdue drains; to be called a few times a second. */
  tick(): void;
  /** Lets running requests finish until the deadline, then stops and settles the rest. */
  drain(deadlineMs: number): Promise<void>;
  readonly active: number;
}

/** How long the last bytes wait for the ledger while it is out of reach. */
const LAST_BYTES_WAIT_MS = 60_000;
const NOTHING_DELIVERED = { anything: false, text: "" };
// Made once: who is refused because there is too much to do should cost little.
const RESTARTING = new Fault("overloaded", {
  retryAfterSeconds: 1,
  message: "The gateway is restarting. Try again.",
});
const STOOD_STILL = new Fault("overloaded", {
  retryAfterSeconds: 1,
  message: "The gateway stood still for so long that it had to give this request up. Try again.",
});
const OVERLOADED = new Fault("overloaded", {
  retryAfterSeconds: 1,
  message: "The gateway has more requests than it can serve in time. Try again.",
});

export function createChatService(deps: ChatServiceDeps): ChatService {
  const { clock, loadShedder } = deps;
  const active = new SlotList<ChatRun>();
  const admit = createChatAdmission(deps);
  const routes = createRouteAttempts(deps);
  let draining = false;
  let deadlinePassed = false;
  /** Requests whose hold is being decided. */
  let admitting = 0;
  let idle: (() => void) | null = null;

  /** Runs an open stream into an output until its end. */
  async function relayTo(
    run: ChatRun,
    opened: OpenedRoute,
    output: StreamOutput,
  ): Promise<{ end: RelayEnd; relay: Relay }> {
    const { call } = run;
    const running = relayStream(
      opened.stream,
      output,
      rollingHoldOf(run),
      outputFactorOf(run.served),
    );
    run.relay = running;
    run.current = opened.stream.exchange;
    run.said = opened.stream.reader;
    run.translated = opened.path.translated;
    // The caller of a request with an idempotency key was waited for already.
    run.onDisconnect = run.idempotent === null ? opened.upstream.onDisconnect : "abort";
    run.request.release();
    if (call.reply.gone) clientLeft(run);
    if (run.cut) running.shutDown();
    const end = await running.end;
    call.trace.answered();
    if (end.kind === "interrupted") noteBreak(run, reasonOfBreak(end));
    run.finishReason = opened.stream.reader.finishReason;
    run.responseModel = opened.stream.reader.model;
    return { end, relay: running };
  }

  async function serveStream(run: ChatRun): Promise<ChatState> {
    const { reply } = run.call;
    const opened = await routes.open(run);
    const writer = opened.path.createWriter(identityOf(run, run.request.includeUsage));
    const output: StreamOutput = {
      write(frames) {
        const nowMs = clock.monotonicMs();
        run.firstContentMs ??= nowMs;
        reply.startStream();
        const bytes = writer.writeAll(frames);
        // What says nothing to this client leaves it as silent as an upstream that sends nothing.
        if (bytes === null) return true;
        run.lastWriteMs = nowMs;
        return reply.write(bytes);
      },
      onDrain: (listener) => reply.onDrain(listener),
    };
    const { end, relay: relayed } = await relayTo(run, opened, output);
    const state = stateOf(run, end);
    const { progress } = relayed;
    // A broken stream that delivered nothing costs nothing, whatever usage it claimed.
    const reading = end.kind === "complete" || progress.anything ? progress.usage : ABSENT_USAGE;
    const ending = endingOf(run, (usage) =>
      streamEnd(end, writer, usage, (fault) => errorEvent(run, fault)),
    );
    const kept = isKept(end, progress.anything) ? ending : null;
    const ended = settleRun(
      run,
      state,
      reading,
      { anything: progress.anything, text: progress.text() },
      kept,
    );
    const settled = await paidOrLate(run, ended);
    reply.startStream();
    const { last, broken } = ending(settled?.charge.usage ?? NO_USAGE);
    if (broken) reply.breakOff(last);
    else reply.end(last);
    return state;
  }

  /** A whole answer whose worst case is held: one request, one body. */
  async function servePassed(run: ChatRun): Promise<ChatState> {
    const { contentType, body, reading, path } = await routes.fetch(run);
    run.call.trace.answered();
    run.firstContentMs = clock.monotonicMs();
    run.finishReason = reading.finishReason;
    run.responseModel = reading.model;
    run.said = reading;
    run.translated = path.translated;
    const state: ChatState = run.call.reply.gone ? "client_gone" : "completed";
    const ending = endingOf(run, (usage) => ({
      streamed: false,
      // What the body has been read as, whatever the upstream calls it: clients parse nothing else.
      contentType:
        !path.translated && contentType.toLowerCase().includes("json")
          ? contentType
          : "application/json",
      body: path.wholeAnswer(reading, body, usage, identityOf(run, true)),
    }));
    const delivered = { anything: reading.hasContent, text: reading.text };
    const settled = await paidOrLate(run, settleRun(run, state, reading.usage, delivered, ending));
    sendJson(run, ending(settled?.charge.usage ?? NO_USAGE), settled);
    return state;
  }

  /**
   * A whole answer whose worst case is too much to hold at once: streamed from the upstream under a
   * rolling hold, then put together.
   */
  async function serveAssembled(run: ChatRun): Promise<ChatState> {
    const opened = await routes.open(run);
    const collector = opened.path.createCollector(identityOf(run, true));
    const output: StreamOutput = {
      write(frames) {
        run.firstContentMs ??= clock.monotonicMs();
        for (const frame of frames) collector.push(frame);
        return true;
      },
      onDrain: () => undefined,
    };
    const { end, relay: relayed } = await relayTo(run, opened, output);
    // Of a broken whole answer nothing reaches the caller, so nothing is charged.
    if (end.kind === "shut-down") throw new Fault("overloaded", { retryAfterSeconds: 1 });
    if (end.kind === "interrupted" || end.kind === "lost")
      throw faultOfBreak(end.kind === "interrupted" ? end.error : null);
    if (end.kind === "client-gone") return "client_gone";
    const state = stateOf(run, end);
    const { progress } = relayed;
    const ending = endingOf(run, (usage) => ({
      streamed: false,
      contentType: "application/json",
      body: collector.finish(usage, end.kind === "stopped-by-balance"),
    }));
    const delivered = { anything: progress.anything, text: progress.text() };
    const settled = await paidOrLate(run, settleRun(run, state, progress.usage, delivered, ending));
    sendJson(run, ending(settled?.charge.usage ?? NO_USAGE), settled);
    return state;
  }

  /**
   * No answer is given whole that is not paid for: this process may have stood still until another
   * gave its requests up.
   */
  async function paidOrLate(run: ChatRun, ending: Promise<Settled>): Promise<Settled | null> {
    const settled = await settledOrLate(run, ending);
    if (settled?.takenAway === true) throw STOOD_STILL;
    if (run.unkept !== null) throw run.unkept;
    return settled;
  }

  function sendJson(run: ChatRun, { body, contentType }: WholeEnd, settled: Settled | null): void {
    const type = { "content-type": contentType };
    run.call.reply.json(
      200,
      settled === null ? type : { ...type, "x-tollgate-cost": formatRoubles(settled.chargedNano) },
      body,
    );
  }

  function errorEvent(run: ChatRun, fault: Fault): Buffer {
    return run.call.dialect.errorEvent(fault, formatRequestId(run.call.requestId));
  }

  /**
   * Waits for the ledger, but not for ever: past the bound `tick` lets the client have its last
   * bytes while the settlement goes on.
   */
  function settledOrLate<T>(run: ChatRun, ending: Promise<T>): Promise<T | null> {
    const { promise, resolve, reject } = Promise.withResolvers<T | null>();
    run.lateAtMs = clock.monotonicMs() + LAST_BYTES_WAIT_MS;
    run.letGo = resolve;
    loadShedder.enter();
    ending.then(
      (value) => {
        loadShedder.leave();
        resolve(value);
      },
      (error: unknown) => {
        loadShedder.leave();
        reject(error);
      },
    );
    return promise;
  }

  /** Lets a run go that has got its answer or failed. A promise where its hold has still to end. */
  function conclude(run: ChatRun, state: ChatState, fault: Fault | null): Promise<void> | null {
    if (run.settled === null) return endHold(run, state, fault);
    try {
      deps.onDone({ run, state, settled: run.settled, fault });
    } finally {
      leave(run);
    }
    return null;
  }

  /** The one place that releases what nothing was delivered for. */
  async function endHold(run: ChatRun, state: ChatState, fault: Fault | null): Promise<void> {
    try {
      const settled = await settleRun(run, state, ABSENT_USAGE, NOTHING_DELIVERED, null);
      deps.onDone({ run, state, settled, fault });
    } finally {
      leave(run);
    }
  }

  function leave(run: ChatRun): void {
    run.place?.release();
    // A no-op where it was settled.
    void run.pass.end(NO_USAGE);
    active.delete(run);
    tellIfIdle();
  }

  function tellIfIdle(): void {
    if (active.size === 0 && admitting === 0) idle?.();
  }

  return {
    get active() {
      return active.size;
    },

    // An answer that ends its connection needs its request read, so while the process ends no
    // request is refused here.
    refusal: () => (!draining && loadShedder.full() ? OVERLOADED : null),

    async serve(call) {
      if (draining) throw RESTARTING;
      // Asked once more: reading the body may have taken long.
      if (loadShedder.full()) throw OVERLOADED;
      let run: ChatRun;
      // A drain that begins meanwhile waits for this request too.
      admitting += 1;
      loadShedder.enter();
      try {
        const admitted = await admit(call);
        if (admitted.kind === "replay") {
          deps.onReplayed(call, admitted.replay);
          return replayAnswer(call.reply, admitted.replay);
        }
        run = admitted;
        run.cut = deadlinePassed;
        active.add(run);
      } finally {
        admitting -= 1;
        loadShedder.leave();
        tellIfIdle();
      }
      const { reply } = run.call;
      let state: ChatState = "failed";
      let fault: Fault | null = null;
      try {
        reply.onGone(() => {
          run.goneAtMs = clock.monotonicMs();
          clientLeft(run);
        });
        if (run.request.stream) state = await serveStream(run);
        else if (run.hold.tier === "full") state = await servePassed(run);
        else state = await serveAssembled(run);
      } catch (thrown) {
        fault = toFault(thrown);
        state = reply.gone ? "client_gone" : "failed";
        run.failed = true;
        run.current?.abort();
      }
      const over = conclude(run, state, fault);
      if (over !== null) await (fault === null ? over : settledOrLate(run, over));
      if (fault === null) return;
      if (!reply.streamStarted) throw fault;
      reply.breakOff(errorEvent(run, fault));
    },

    tick() {
      const nowMs = clock.monotonicMs();
      active.forEach((run) => tickRun(run, nowMs));
    },

    async drain(deadlineMs) {
      draining = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      idle = resolve;
      tellIfIdle();
      const timer = setTimeout(() => {
        deadlinePassed = true;
        active.forEach((run) => {
          run.cut = true;
          if (run.relay === null) run.current?.abort();
          else run.relay.shutDown();
        });
      }, deadlineMs);
      await promise;
      clearTimeout(timer);
    },
  };
}

/** What a client that goes away does to the work in progress, by the upstream's policy. */
function clientLeft(run: ChatRun): void {
  if (run.relay !== null) run.relay.clientGone(run.onDisconnect);
  else if (run.onDisconnect === "abort") run.current?.abort();
}

/** Only an answer that is kept for an idempotency key is ended before it is sent. */
function endingOf<T extends AnswerEnd>(
  run: ChatRun,
  compose: (usage: TokenUsage) => T,
): (usage: TokenUsage) => T {
  return run.idempotent === null ? compose : composeOnce(compose);
}

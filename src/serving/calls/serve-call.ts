/**
 * The use case of a call that is no chat: admit it, hold the most that it can cost, get an answer
 * from the first route that has one, settle, answer.
 */
import type { ChatState } from "../../contract/enums/chat-state.ts";
import type { Clock } from "../../kernel/clock.ts";
import { toFault, type Fault } from "../../kernel/faults.ts";
import { ANSWER_WAIT_MS, KEEP_ALIVE_MS } from "../../kernel/limits.ts";
import { formatRoubles } from "../../kernel/money.ts";
import { SlotList } from "../../kernel/slot-list.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { createDrain } from "../admission/drain.ts";
import type { Replay } from "../admission/idempotency.ts";
import type { LoadShedder } from "../admission/load-shedder.ts";
import { replayAnswer } from "../chat/replay-answer.ts";
import { OVERLOADED, RESTARTING, STOOD_STILL } from "../chat/turned-away.ts";
import { createCallAdmission, type CallAdmissionDeps } from "./admit-call.ts";
import { createCallAttempts, type CallAttemptsDeps } from "./call-attempts.ts";
import { released, type CallOutcome } from "./call-outcome.ts";
import type { CallRequest } from "./call-request.ts";
import { callerLeft, cutOff, giveUpWaiting, streamingOf, type CallRun } from "./call-run.ts";
import { begin, giveWhole, passOn } from "./deliver-call.ts";
import { settleCall, type SettledCall } from "./settle-call.ts";

/** What is told about a call when it is over, for the log and the metrics. */
export interface CallSummary {
  readonly run: CallRun;
  readonly state: ChatState;
  readonly settled: SettledCall;
  readonly fault: Fault | null;
}

export interface CallServiceDeps extends CallAdmissionDeps, CallAttemptsDeps {
  readonly clock: Clock;
  /** How long a whole answer is waited for; for tests that cannot wait minutes. */
  readonly answerWaitMs?: number;
  /** That of chat: all of them take the turns of one process. */
  readonly loadShedder: LoadShedder;
  onSuspicion(run: CallRun, suspicion: string): void;
  onDone(summary: CallSummary): void;
  /** Instead of `onDone`, for a request that gets what it got before. */
  onReplayed(call: CallRequest, replay: Replay): void;
}

export interface CallService {
  /** Why a request is refused before anything of it is read; null: it may come in. */
  refusal(): Fault | null;
  /** Resolves when the reply is over. Throws a Fault while nothing has been sent. */
  serve(call: CallRequest): Promise<void>;
  /** Keep-alives, overdue answers and drains; to be called about every second. */
  tick(): void;
  /** Lets running calls finish until the deadline, then stops and settles the rest. */
  drain(deadlineMs: number): Promise<void>;
  readonly active: number;
}

/**
 * An answer whose caller went away is read to its end for at most this long, where the upstream's
 * policy is to drain.
 */
const DRAIN_TO_USAGE_MS = 60_000;
/** How long the last bytes wait for the ledger while it is out of reach. */
const LAST_BYTES_WAIT_MS = 60_000;

export function createCallService(deps: CallServiceDeps): CallService {
  const { clock, loadShedder, answerWaitMs = ANSWER_WAIT_MS } = deps;
  const active = new SlotList<CallRun>();
  const admit = createCallAdmission(deps);
  const attempts = createCallAttempts(deps);
  /** Requests whose hold is being decided. */
  let admitting = 0;
  const drain = createDrain({
    isIdle: () => active.size === 0 && admitting === 0,
    cutOff: () => active.forEach(cutOff),
  });

  /** Null where it got what it got before. */
  async function enter(call: CallRequest): Promise<CallRun | null> {
    admitting += 1;
    loadShedder.enter();
    try {
      const admitted = await admit(call);
      if (admitted.kind === "run") {
        admitted.cut = drain.over;
        active.add(admitted);
        return admitted;
      }
      deps.onReplayed(call, admitted.replay);
      replayAnswer(call.reply, admitted.replay);
      return null;
    } finally {
      admitting -= 1;
      loadShedder.leave();
      drain.check();
    }
  }

  async function answer(run: CallRun): Promise<CallOutcome> {
    if (run.asked.stream) return passOn(run, await attempts.streamed(run), clock);
    run.answerByMs = clock.monotonicMs() + answerWaitMs;
    const whole = await attempts.whole(run);
    run.call.trace.answered();
    const outcome = await giveWhole(run, whole);
    run.answerByMs = Infinity;
    return outcome;
  }

  /** What its caller is told that gets no answer; what is still under way for it ends. */
  function failed(run: CallRun, thrown: unknown): CallOutcome {
    run.underWay?.exchange.abort();
    return released(run.call.reply.gone ? "client_gone" : "failed", toFault(thrown));
  }

  async function settle(run: CallRun, outcome: CallOutcome): Promise<SettledCall> {
    try {
      const settled = await settleCall(deps, run, outcome);
      const { suspicion } = settled.charge;
      if (suspicion !== null) deps.onSuspicion(run, suspicion.reason);
      const { state, fault } = settled.outcome;
      deps.onDone({ run, state, settled, fault });
      return settled;
    } finally {
      leave(run);
    }
  }

  /** Waits for the ledger, but not for ever; null: it is late, and goes on. */
  async function settledOrLate(run: CallRun, outcome: CallOutcome): Promise<SettledCall | null> {
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), LAST_BYTES_WAIT_MS);
    loadShedder.enter();
    try {
      return await Promise.race([settle(run, outcome), late.promise]);
    } finally {
      clearTimeout(timer);
      loadShedder.leave();
    }
  }

  function leave(run: CallRun): void {
    run.served?.place.release();
    run.asked.release?.();
    active.delete(run);
    drain.check();
  }

  return {
    get active() {
      return active.size;
    },

    refusal: () => (!drain.begun && loadShedder.refuses() ? OVERLOADED : null),

    async serve(call) {
      if (drain.begun) throw RESTARTING;
      if (loadShedder.full()) throw OVERLOADED;
      const run = await enter(call);
      if (run === null) return;
      let outcome: CallOutcome;
      try {
        run.call.reply.onGone(() => {
          run.goneAtMs = clock.monotonicMs();
          callerLeft(run);
        });
        outcome = await answer(run);
      } catch (thrown) {
        outcome = failed(run, thrown);
      }
      const settled = await settledOrLate(run, outcome);
      send(run, settled?.outcome ?? outcome, settled);
    },

    tick() {
      const nowMs = clock.monotonicMs();
      active.forEach((run) => {
        keepAlive(run, nowMs);
        if (!run.late && nowMs >= run.answerByMs) giveUpWaiting(run);
        if (run.goneAtMs !== null && nowMs - run.goneAtMs >= DRAIN_TO_USAGE_MS) cutOff(run);
        if (run.relay !== null && deps.ledger.wasLost(run.call.requestId)) run.relay.unpaid("lost");
      });
    },

    drain: (deadlineMs) => drain.run(deadlineMs),
  };
}

function keepAlive(run: CallRun, nowMs: number): void {
  const { reply } = run.call;
  if (!run.asked.stream || reply.gone || nowMs - run.lastWriteMs < KEEP_ALIVE_MS) return;
  const bytes = streamingOf(run).keepAlive;
  if (bytes === null) return;
  run.lastWriteMs = nowMs;
  begin(run);
  reply.write(bytes);
}

/**
 * No answer is given whole that is not paid for: this process may have stood still until another
 * gave its requests up. `settled`: null where the ledger is late. Throws a Fault while nothing has
 * been sent.
 */
function send(run: CallRun, outcome: CallOutcome, settled: SettledCall | null): void {
  const { reply } = run.call;
  const fault =
    outcome.fault ??
    (settled?.takenAway === true ? STOOD_STILL : null) ??
    run.idempotent?.unkept ??
    null;
  if (fault !== null) {
    if (!reply.streamStarted) throw fault;
    return reply.breakOff(run.asked.stream ? streamingOf(run).errorEvent(fault) : null);
  }
  const end = settled === null ? (outcome.end?.(NO_USAGE) ?? null) : settled.end;
  if (end === null) return;
  if (!end.streamed) {
    const type = { "content-type": end.contentType };
    return reply.json(
      200,
      settled === null ? type : { ...type, "x-tollgate-cost": formatRoubles(settled.chargedNano) },
      end.body,
    );
  }
  begin(run);
  if (end.broken) reply.breakOff(end.last);
  else reply.end(end.last);
}

/**
 * The use case of a chat request: admit it, hold its money, get an answer from the first route that
 * has one, settle, answer.
 */
import type { ChatState } from "../../contract/enums/chat-state.ts";
import { SlotList } from "../../kernel/slot-list.ts";
import type { Fault } from "../../kernel/faults.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { createDrain } from "../admission/drain.ts";
import type { Replay } from "../admission/idempotency.ts";
import type { LoadShedder } from "../admission/load-shedder.ts";
import { reasonOfBreak } from "../routing/upstream-failure.ts";
import { createChatAdmission } from "./admit-chat.ts";
import type { ChatAdmissionDeps, ReplayedChat } from "./admit-chat.ts";
import type { FetchedAnswer, OpenedRoute } from "./ask-upstream.ts";
import { promisedEnd, type ChatCall, type Ending } from "./chat-call.ts";
import type { ChatOutcome } from "./chat-outcome.ts";
import type { ChatRun } from "./chat-run.ts";
import { answerOf, noteBreak } from "./chat-run.ts";
import { outputFactorOf } from "./count-factor.ts";
import { giveWhole, passOn, putTogether } from "./deliver-answer.ts";
import { createRunFinish, failed as failedOutcome } from "./finish-run.ts";
import { isHeldWhole, rollingHoldOf } from "./hold-of-run.ts";
import { relayStream } from "./relay-stream.ts";
import { replayAnswer } from "./replay-answer.ts";
import type { RouteAttemptsDeps } from "./route-attempts.ts";
import { createRouteAttempts } from "./route-attempts.ts";
import type { Answering, Settled } from "./run-phase.ts";
import { callerLeft, cutOff } from "./stop-run.ts";
import { tickRun } from "./tick-run.ts";
import { OVERLOADED, RESTARTING } from "./turned-away.ts";

/** What is told about a chat request when it is over, for the log and the metrics. */
export interface ChatSummary {
  readonly run: ChatRun;
  readonly state: ChatState;
  /** Null where no route had one. */
  readonly answer: Answering | null;
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
   * `ending` hears when the reply is over, or of a Fault while nothing has been sent; the endpoint
   * renders it. Throws nothing.
   */
  begin(call: ChatCall, ending: Ending): void;
  /** The same as a promise. */
  serve(call: ChatCall): Promise<void>;
  /** Keep-alives, saved progress, overdue drains; to be called a few times a second. */
  tick(): void;
  /** Lets running requests finish until the deadline, then stops and settles the rest. */
  drain(deadlineMs: number): Promise<void>;
  readonly active: number;
}

export function createChatService(deps: ChatServiceDeps): ChatService {
  const { clock, loadShedder } = deps;
  const active = new SlotList<ChatRun>();
  const admit = createChatAdmission(deps);
  const routes = createRouteAttempts(deps);
  const finish = createRunFinish({
    clock,
    loadShedder,
    onEnded: (run, { state, fault }, settled) =>
      deps.onDone({ run, state, answer: answerOf(run), settled, fault }),
    leave,
  });
  /** Requests whose hold is being decided. */
  let admitting = 0;
  const drain = createDrain({
    isIdle: () => active.size === 0 && admitting === 0,
    cutOff: () => active.forEach(cutOff),
  });

  /** One whose admission has to wait. A drain that begins meanwhile waits for it, too. */
  async function enterLater(
    call: ChatCall,
    admitted: Promise<ChatRun | ReplayedChat>,
  ): Promise<ChatRun | null> {
    admitting += 1;
    loadShedder.enter();
    try {
      return enter(call, await admitted);
    } finally {
      admitting -= 1;
      loadShedder.leave();
      drain.check();
    }
  }

  /** Null where it got what it got before. */
  function enter(call: ChatCall, admitted: ChatRun | ReplayedChat): ChatRun | null {
    if (admitted.kind === "replay") {
      deps.onReplayed(call, admitted.replay);
      replayAnswer(call.reply, admitted.replay, call.dialect.endsInFailure);
      return null;
    }
    admitted.cut = drain.over;
    active.add(admitted);
    return admitted;
  }

  function begin(call: ChatCall, ending: Ending): void {
    try {
      if (drain.begun) throw RESTARTING;
      // Asked once more: reading the body may have taken long.
      if (loadShedder.full()) throw OVERLOADED;
      const admitted = admit(call);
      if (!(admitted instanceof Promise)) return go(enter(call, admitted), ending);
      enterLater(call, admitted).then(
        (run) => go(run, ending),
        (error: unknown) => ending.over(error),
      );
    } catch (thrown) {
      ending.over(thrown);
    }
  }

  function go(run: ChatRun | null, ending: Ending): void {
    if (run === null) ending.over(null);
    else answer(run, ending);
  }

  function noteLeaving(run: ChatRun): void {
    run.call.reply.onGone(() => {
      run.goneAtMs = clock.monotonicMs();
      callerLeft(run);
    });
  }

  function answer(run: ChatRun, ending: Ending): void {
    const failed = (thrown: unknown): void => finish(run, failedOutcome(run, thrown), ending);
    try {
      noteLeaving(run);
      // The outcome of a request, whose caller has got all of it but its end.
      if (!run.request.stream && isHeldWhole(run))
        routes.fetch(run, { over: (fetched) => answeredWhole(run, fetched, ending), failed });
      else
        routes.open(run, {
          over(opened) {
            passStream(run, opened).then((outcome) => finish(run, outcome, ending), failed);
          },
          failed,
        });
    } catch (thrown) {
      failed(thrown);
    }
  }

  function answeredWhole(run: ChatRun, fetched: FetchedAnswer, ending: Ending): void {
    let outcome: ChatOutcome;
    try {
      run.call.trace.answered();
      run.phase = {
        kind: "answering",
        route: fetched.route,
        place: fetched.place,
        translated: fetched.path.translated,
        reported: fetched.reading,
        delivery: { firstContentMs: clock.monotonicMs() },
        relay: null,
      };
      outcome = giveWhole(run, fetched);
    } catch (thrown) {
      outcome = failedOutcome(run, thrown);
    }
    finish(run, outcome, ending);
  }

  async function passStream(
    run: ChatRun,
    { route, place, upstream, stream, path }: OpenedRoute,
  ): Promise<ChatOutcome> {
    const { call, request } = run;
    const delivery = request.stream ? passOn(run, path) : putTogether(run, path);
    const relay = relayStream(stream, delivery, rollingHoldOf(run), outputFactorOf(route));
    run.phase = {
      kind: "answering",
      route,
      place,
      translated: path.translated,
      reported: stream.reader,
      delivery,
      relay,
      exchange: stream.exchange,
      // The caller of a request with an idempotency key was waited for already.
      onDisconnect: run.admission.idempotent === null ? upstream.onDisconnect : "abort",
      saved: {
        frames: 0,
        atMs: call.startedMs,
        countedMs: call.startedMs,
        isCounted: false,
        counted: null,
      },
    };
    request.release();
    call.dropBody?.();
    if (call.reply.gone) callerLeft(run);
    if (run.cut) relay.shutDown();
    const end = await relay.end;
    call.trace.answered();
    if (end.kind === "interrupted") noteBreak(run, reasonOfBreak(end));
    return delivery.outcome(relay, end);
  }

  function leave(run: ChatRun): void {
    answerOf(run)?.place.release();
    // A no-op where it was settled.
    void run.admission.pass.end(NO_USAGE);
    active.delete(run);
    drain.check();
  }

  return {
    get active() {
      return active.size;
    },

    // An answer that ends its connection needs its request read, so while the process ends no
    // request is refused here.
    refusal: () => (!drain.begun && loadShedder.refuses() ? OVERLOADED : null),

    begin,

    serve: (call) => promisedEnd((ending) => begin(call, ending)),

    tick() {
      const nowMs = clock.monotonicMs();
      active.forEach((run) => tickRun(run, nowMs));
    },

    drain: (deadlineMs) => drain.run(deadlineMs),
  };
}

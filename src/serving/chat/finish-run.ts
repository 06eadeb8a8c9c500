/**
 * The one end of every admitted chat request, whatever it came to: its hold is ended, its caller
 * gets the last bytes or a fault, and it is reported.
 */
import type { Clock } from "../../kernel/clock.ts";
import { toFault, type Fault } from "../../kernel/faults.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { LoadShedder } from "../admission/load-shedder.ts";
import { createAfterwards } from "./afterwards.ts";
import type { WholeEnd } from "./answer-end.ts";
import { breakOff } from "./break-off.ts";
import { released, type ChatOutcome } from "./chat-outcome.ts";
import { tellEnd, type Ending } from "./chat-call.ts";
import { answerOf, type ChatRun } from "./chat-run.ts";
import { errorEvent } from "./deliver-answer.ts";
import { PreparedEnd, wholeReply } from "./prepared-end.ts";
import type { Settled } from "./run-phase.ts";
import { settleRun } from "./settle-run.ts";
import { giveUp } from "./stop-run.ts";
import { STOOD_STILL } from "./turned-away.ts";

export interface RunFinishDeps {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly loadShedder: Pick<LoadShedder, "enter" | "leave">;
  /** Hears of it once its hold has ended. */
  onEnded(run: ChatRun, outcome: ChatOutcome, settled: Settled): void;
  /** Lets it go, whatever has thrown before; a second call does nothing. */
  leave(run: ChatRun): void;
}

/** How long the last bytes wait for the ledger while it is out of reach. */
const LAST_BYTES_WAIT_MS = 60_000;

/** `ending` hears when it is over, or of a Fault while nothing has been sent. Throws nothing. */
export type FinishRun = (run: ChatRun, outcome: ChatOutcome, ending: Ending) => void;

export function createRunFinish(deps: RunFinishDeps): FinishRun {
  const { clock, loadShedder } = deps;
  const afterwards = createAfterwards();

  function finish(run: ChatRun, outcome: ChatOutcome, ending: Ending): void {
    const { fault } = outcome;
    if (fault !== null)
      return tellEnd(ending, finishFaulty(run, outcome, settleRun(run, outcome), fault));
    const prepared = new PreparedEnd(run, outcome);
    const settling = settleRun(run, outcome, (charge, chargeNano) =>
      prepared.prepare(charge, chargeNano),
    );
    // Until it is heard, one more waits for this process.
    loadShedder.enter();
    let waiting = true;
    const heard = (settled: Settled | null): void => {
      if (!waiting) return;
      waiting = false;
      loadShedder.leave();
      finishGood(run, outcome, { settling, settled, prepared }, ending);
    };
    boundWait(run, () => heard(null), false);
    settling.then(heard, (error: unknown) => {
      if (!waiting) return;
      waiting = false;
      loadShedder.leave();
      finish(run, failed(run, error), ending);
    });
  }

  function finishGood(
    run: ChatRun,
    outcome: ChatOutcome,
    { settling, settled, prepared }: Heard,
    ending: Ending,
  ): void {
    try {
      sendEnd(run, outcome, settled, prepared);
    } catch (thrown) {
      return finish(run, failed(run, thrown), ending);
    }
    afterwards(() => reportGood(run, outcome, settling, ending));
  }

  /** Its caller has its last bytes by then. */
  function reportGood(
    run: ChatRun,
    outcome: ChatOutcome,
    settling: Promise<Settled>,
    ending: Ending,
  ): void {
    let over: Promise<void> | null;
    try {
      over = conclude(run, outcome, settling);
    } catch (thrown) {
      return ending.over(thrown);
    }
    if (over === null) ending.over(null);
    else tellEnd(ending, over);
  }

  /** At once where its hold has ended; else a promise for when it has. */
  function conclude(
    run: ChatRun,
    outcome: ChatOutcome,
    settling: Promise<Settled>,
  ): Promise<void> | null {
    if (run.phase.kind !== "ended") return concludeLater(run, outcome, settling);
    try {
      deps.onEnded(run, outcome, run.phase.settled);
    } finally {
      deps.leave(run);
    }
    return null;
  }

  async function concludeLater(
    run: ChatRun,
    outcome: ChatOutcome,
    settling: Promise<Settled>,
  ): Promise<void> {
    try {
      deps.onEnded(run, outcome, await settling);
    } finally {
      deps.leave(run);
    }
  }

  async function finishFaulty(
    run: ChatRun,
    outcome: ChatOutcome,
    settling: Promise<Settled>,
    fault: Fault,
  ): Promise<void> {
    const over = conclude(run, outcome, settling);
    if (over !== null) {
      try {
        await settledOrLate(run, over);
      } finally {
        loadShedder.leave();
      }
    }
    sendFault(run, fault);
  }

  /** As a promise; null: it is late. Until it resolves, one more waits for this process. */
  function settledOrLate(run: ChatRun, ending: Promise<void>): Promise<void | null> {
    loadShedder.enter();
    return new Promise((resolve, reject) => {
      boundWait(run, () => resolve(null), true);
      ending.then(resolve, reject);
    });
  }

  /**
   * The last bytes wait for the ledger, but not for ever: past the bound `tickRun` lets the caller
   * have them while the settlement goes on.
   */
  function boundWait({ phase }: ChatRun, letGo: () => void, faulty: boolean): void {
    if (phase.kind !== "settling") return;
    phase.wait = { untilMs: clock.monotonicMs() + LAST_BYTES_WAIT_MS, letGo, faulty };
  }

  return finish;
}

/** Where the settlement stands by which the last bytes may go. */
interface Heard {
  readonly settling: Promise<Settled>;
  /** Null where the ledger is late. */
  readonly settled: Settled | null;
  readonly prepared: PreparedEnd;
}

/** What its caller is told that gets no answer; what is still under way for it ends. */
export function failed(run: ChatRun, thrown: unknown): ChatOutcome {
  giveUp(run);
  return released(run.call.reply.gone ? "client_gone" : "failed", toFault(thrown));
}

/**
 * No answer is given whole that is not paid for: this process may have stood still until another
 * gave its requests up. `settled`: null where the ledger is late.
 */
function sendEnd(
  run: ChatRun,
  { end }: ChatOutcome,
  settled: Settled | null,
  prepared: PreparedEnd,
): void {
  if (settled?.takenAway === true) throw STOOD_STILL;
  const unkept = run.admission.idempotent?.unkept ?? null;
  if (unkept !== null) throw unkept;
  if (end === null) return;
  const { reply, dialect } = run.call;
  const ready = prepared.replyFor(settled);
  if (ready !== null) return reply.json(200, ready.headers, ready.body);
  if (run.request.stream) reply.startStream();
  const last = end(settled?.charge.usage ?? NO_USAGE);
  if (!last.streamed) sendWhole(run, last, settled);
  else if (last.broken) breakOff(reply, last.last, dialect.endsInFailure);
  else reply.end(last.last);
}

function sendWhole({ call }: ChatRun, end: WholeEnd, settled: Settled | null): void {
  const { headers, body } = wholeReply(end, settled === null ? null : settled.chargedNano);
  call.reply.json(200, headers, body);
}

function sendFault(run: ChatRun, fault: Fault): void {
  const { reply, dialect } = run.call;
  if (!reply.streamStarted) throw fault;
  const last = errorEvent(run, fault, answerOf(run)?.delivery.writer);
  breakOff(reply, last, dialect.endsInFailure);
}

/**
 * The end of a whole answer, made while its settlement is on its way to the disk, when the process
 * has time. Nothing of it leaves before the verdict, and it counts only where the verdict is the
 * one that it was made for.
 */
import { formatRoubles, type Nano } from "../../kernel/money.ts";
import type { WholeEnd } from "./answer-end.ts";
import type { ChatOutcome } from "./chat-outcome.ts";
import type { ChatRun } from "./chat-run.ts";
import type { FinalCharge } from "./final-charge.ts";
import type { Settled } from "./run-phase.ts";

/** What a reply takes of a whole answer. */
export interface WholeReply {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** `chargedNano`: null where it is not known yet. */
export function wholeReply({ body, contentType }: WholeEnd, chargedNano: Nano | null): WholeReply {
  const headers: Record<string, string> = { "content-type": contentType };
  if (chargedNano !== null) headers["x-tollgate-cost"] = formatRoubles(chargedNano);
  return { headers, body };
}

export class PreparedEnd {
  private readonly run: ChatRun;
  private readonly outcome: ChatOutcome;
  private charge: FinalCharge | null = null;
  private chargeNano: Nano | null = null;
  private reply: WholeReply | null = null;

  constructor(run: ChatRun, outcome: ChatOutcome) {
    this.run = run;
    this.outcome = outcome;
  }

  /** What cannot be made is tried again, and told, when it is to be sent. */
  prepare(charge: FinalCharge, chargeNano: Nano): void {
    const { outcome, run } = this;
    const { phase, call } = run;
    // What was put together from a stream is ended once.
    if (phase.kind !== "settling" || phase.answer === null || phase.answer.relay !== null) return;
    if (outcome.end === null || call.reply.prepare === undefined || this.reply !== null) return;
    try {
      const end = outcome.end(charge.usage);
      if (end.streamed) return;
      const reply = wholeReply(end, chargeNano);
      call.reply.prepare(reply.headers, reply.body);
      this.charge = charge;
      this.chargeNano = chargeNano;
      this.reply = reply;
    } catch {
      this.reply = null;
    }
  }

  /** Null where it is to be made anew. */
  replyFor(settled: Settled | null): WholeReply | null {
    const fits = settled?.charge === this.charge && settled?.chargedNano === this.chargeNano;
    return fits ? this.reply : null;
  }
}

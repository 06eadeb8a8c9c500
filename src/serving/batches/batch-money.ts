/**
 * The money of lines that run, in place of the settle pipeline: what a line may cost was held with
 * its batch, and what it comes to is kept until it can be ended together with its answer.
 */
import { assert } from "../../kernel/assert.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { minNano, type Nano } from "../../kernel/money.ts";
import type { ChatRunDeps } from "../chat/chat-run.ts";
import type { SettleRequest } from "../money/settle-pipeline.ts";

export interface BatchMoney {
  readonly ledger: ChatRunDeps["ledger"];
  /** A line begins, as this request. */
  begin(requestId: Uuid, quoteNano: Nano): void;
  /** It is over; what it comes to, null where it never came to a run. */
  end(requestId: Uuid): SettleRequest | null;
}

interface Running {
  readonly quoteNano: Nano;
  settlement: SettleRequest | null;
}

export function createBatchMoney(): BatchMoney {
  const running = new Map<Uuid, Running>();

  function find(requestId: Uuid): Running {
    const line = running.get(requestId);
    assert(line !== undefined, "only lines that have begun are asked for");
    return line;
  }

  return {
    begin(requestId, quoteNano) {
      running.set(requestId, { quoteNano, settlement: null });
    },
    end(requestId) {
      const { settlement } = find(requestId);
      running.delete(requestId);
      return settlement;
    },
    ledger: {
      hold: ({ holdId }) => ({ kind: "held", heldNano: find(holdId).quoteNano, tier: "full" }),
      // What goes beyond its quote would be the money of other lines.
      extend: async ({ holdId, addNano }) => ({
        kind: addNano > 0n ? "refused" : "extended",
        heldNano: find(holdId).quoteNano,
      }),
      async settle(request) {
        const line = find(request.holdId);
        line.settlement = request;
        const chargedNano = minNano(request.chargeNano, line.quoteNano);
        const releasedNano = (line.quoteNano - chargedNano) as Nano;
        return { kind: "settled", chargedNano, releasedNano };
      },
      undecided: false,
      // Nothing of a line is delivered before its money has ended.
      wasLost: () => false,
    },
  };
}

/**
 * Money that no customer owes: every hold is granted and every settlement accepted at once, and nothing
 * is written. What a billed request costs beside one of these is what billing costs.
 */
import type { Uuid } from "../../src/kernel/ids.ts";
import { minNano, nano, type Nano } from "../../src/kernel/money.ts";
import type {
  ExtendRequest,
  ExtendVerdict,
  HoldVerdict,
  SettleVerdict,
} from "../../src/ledger/hold-verdicts.ts";
import { UuidTable, type Tabled } from "../../src/kernel/uuid-table.ts";
import type { SettlePipeline } from "../../src/serving/money/settle-pipeline.ts";

type HoldRequest = Parameters<SettlePipeline["hold"]>[0];
type SettleRequest = Parameters<SettlePipeline["settle"]>[0];

interface Held extends Tabled<Held> {
  readonly holdId: Uuid;
  heldNano: Nano;
}

export class MoneyInMemory implements SettlePipeline {
  /** Found as the product finds its own, which has no Map on the way of a request. */
  readonly #held = new UuidTable<Held>(({ holdId }) => holdId);
  readonly silent = false;
  readonly undecided = false;
  readonly queued = { grants: 0, elements: 0 };

  hold({ holdId, fullNano, sliceNano }: HoldRequest): HoldVerdict {
    const heldNano = fullNano ?? sliceNano;
    this.#held.set({ holdId, heldNano, next: null });
    return { kind: "held", heldNano, tier: fullNano === null ? "slice" : "full" };
  }

  async extend({ holdId, addNano }: ExtendRequest): Promise<ExtendVerdict> {
    const held = this.#held.get(holdId);
    if (held === undefined) return { kind: "gone" };
    held.heldNano = nano(held.heldNano + addNano);
    return { kind: "extended", heldNano: held.heldNano };
  }

  async settle({ holdId, chargeNano }: SettleRequest): Promise<SettleVerdict> {
    const held = this.#held.delete(holdId);
    if (held === undefined) return { kind: "unknown-hold" };
    const chargedNano = minNano(chargeNano, held.heldNano);
    return { kind: "settled", chargedNano, releasedNano: nano(held.heldNano - chargedNano) };
  }

  wasLost(): boolean {
    return false;
  }

  recall(): void {
    // Nothing is held ahead.
  }

  async close(): Promise<void> {
    this.#held.clear();
  }
}

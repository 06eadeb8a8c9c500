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
import type { SettlePipeline } from "../../src/serving/money/settle-pipeline.ts";

type HoldRequest = Parameters<SettlePipeline["hold"]>[0];
type SettleRequest = Parameters<SettlePipeline["settle"]>[0];

export class MoneyInMemory implements SettlePipeline {
  readonly #held = new Map<Uuid, Nano>();
  readonly silent = false;
  readonly undecided = false;
  readonly queued = { grants: 0, elements: 0 };

  hold({ holdId, fullNano, sliceNano }: HoldRequest): HoldVerdict {
    const heldNano = fullNano ?? sliceNano;
    this.#held.set(holdId, heldNano);
    return { kind: "held", heldNano, tier: fullNano === null ? "slice" : "full" };
  }

  async extend({ holdId, addNano }: ExtendRequest): Promise<ExtendVerdict> {
    const before = this.#held.get(holdId);
    if (before === undefined) return { kind: "gone" };
    const heldNano = nano(before + addNano);
    this.#held.set(holdId, heldNano);
    return { kind: "extended", heldNano };
  }

  async settle({ holdId, chargeNano }: SettleRequest): Promise<SettleVerdict> {
    const held = this.#held.get(holdId);
    if (held === undefined) return { kind: "unknown-hold" };
    this.#held.delete(holdId);
    const chargedNano = minNano(chargeNano, held);
    return { kind: "settled", chargedNano, releasedNano: nano(held - chargedNano) };
  }

  recall(): void {
    // Nothing is held ahead.
  }

  async close(): Promise<void> {
    this.#held.clear();
  }
}

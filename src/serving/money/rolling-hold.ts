/**
 * The rolling hold of one request: how many output tokens are paid for, and how the hold grows
 * before they are delivered (RFC 8506 in spirit).
 */
import type { Uuid } from "../../kernel/ids.ts";
import { ZERO_NANO, type Nano } from "../../kernel/money.ts";
import type { ExtendRequest, ExtendVerdict } from "../../ledger/hold-verdicts.ts";
import type { UsageReading } from "../../protocol/usage-reading.ts";

const LARGEST_STEP_TOKENS = 8192;
/**
 * When a whole step is refused, this much beyond the need is tried before the stream is stopped.
 */
const SMALLEST_STEP_TOKENS = 64;

/** Of the price of a token: enough of them that what each costs is known to the nano-rouble. */
const PRICED_TOKENS = 1_000_000;

/** What would have been delivered. */
export interface Deliverable {
  /** By estimate. */
  readonly outputTokens: number;
  readonly text: string;
  /** What the upstream would have told by then. */
  readonly usage: UsageReading;
}

/** What had been delivered by now, saved with every extension: the charge if this process dies. */
export interface Recorded {
  readonly recordedNano: Nano;
  /** JSON. */
  readonly detail: string;
}

export interface RollingHoldDeps {
  extend(request: ExtendRequest): Promise<ExtendVerdict>;
  /** Upper price of the whole request with this many output tokens. */
  priceAt(outputTokens: number): Nano;
  /** Exactly what is charged where the stream is stopped once this much is delivered. */
  priceStoppedAt(delivered: Deliverable): Promise<Nano>;
  record(): Recorded;
}

/** `lost`: another process has settled this hold already, so nothing more can be charged to it. */
export type GrowOutcome = "covered" | "refused" | "lost";

export interface RollingHold {
  readonly heldNano: Nano;
  readonly coveredTokens: number;
  covers(outputTokens: number): boolean;
  /** True when less than half a step is left, so that growing now avoids a pause later. */
  wantsMore(outputTokens: number): boolean;
  /**
   * Extends the hold until it covers this many output tokens. One extension at a time; throws what
   * the ledger throws.
   */
  grow(outputTokens: number): Promise<GrowOutcome>;
  /**
   * When that was refused: covers this delivery by its exact price, with as much of the hold as the
   * estimates had set aside for nothing, and with what else there is. From there on the hold covers
   * what is left of it. Throws what the ledger throws.
   */
  growExactly(delivery: Deliverable): Promise<GrowOutcome>;
  /**
   * When what was delivered has become dearer than its tokens, by calls of the upstream's own
   * tools: raises the hold to what it costs with them, by estimate and else by its exact price.
   * Throws what the ledger throws.
   */
  growDearer(delivered: Deliverable): Promise<GrowOutcome>;
  /** Saves what was delivered without asking for more. */
  save(): Promise<void>;
  /**
   * Tries to raise the hold to an amount that the upstream's usage came to. True when the hold now
   * covers it.
   */
  coverAmount(amountNano: Nano): Promise<boolean>;
}

interface Start {
  readonly holdId: Uuid;
  readonly heldNano: Nano;
  readonly coveredTokens: number;
  readonly limitTokens: number;
}

export function createRollingHold(deps: RollingHoldDeps, start: Start): RollingHold {
  return new RequestHold(deps, start);
}

class RequestHold implements RollingHold {
  heldNano: Nano;
  coveredTokens: number;
  private readonly deps: RollingHoldDeps;
  private readonly holdId: Uuid;
  private readonly limitTokens: number;
  /** The longest answer there can be is paid for. */
  private whole: boolean;
  private chain: Promise<unknown> | null = null;

  constructor(deps: RollingHoldDeps, start: Start) {
    this.heldNano = start.heldNano;
    this.coveredTokens = start.coveredTokens;
    this.deps = deps;
    this.holdId = start.holdId;
    this.limitTokens = start.limitTokens;
    this.whole = start.coveredTokens >= start.limitTokens;
  }

  covers(outputTokens: number): boolean {
    return outputTokens <= this.coveredTokens || this.whole;
  }

  wantsMore(outputTokens: number): boolean {
    return !this.whole && this.coveredTokens - outputTokens < this.stepTokens() / 2;
  }

  grow(outputTokens: number): Promise<GrowOutcome> {
    return this.inTurn(async () => {
      if (this.covers(outputTokens) && !this.wantsMore(outputTokens)) return "covered";
      const generous = await this.raiseTo(
        Math.max(outputTokens, this.coveredTokens) + this.stepTokens(),
      );
      if (generous !== "refused" || this.covers(outputTokens))
        return generous === "lost" ? "lost" : "covered";
      return this.raiseTo(outputTokens + SMALLEST_STEP_TOKENS);
    });
  }

  growExactly(delivery: Deliverable): Promise<GrowOutcome> {
    return this.inTurn(async () =>
      this.covers(delivery.outputTokens) ? "covered" : this.raiseExactly(delivery),
    );
  }

  growDearer(delivered: Deliverable): Promise<GrowOutcome> {
    return this.inTurn(async () => {
      const outcome = await this.raiseToNano(this.deps.priceAt(this.coveredTokens));
      return outcome === "refused" ? this.raiseExactly(delivered) : outcome;
    });
  }

  save(): Promise<void> {
    return this.inTurn(async () => {
      await this.extendBy(ZERO_NANO);
    });
  }

  coverAmount(amountNano: Nano): Promise<boolean> {
    return this.inTurn(async () => {
      if (amountNano <= this.heldNano) return true;
      await this.extendBy((amountNano - this.heldNano) as Nano);
      return amountNano <= this.heldNano;
    });
  }

  private async raiseTo(tokens: number): Promise<GrowOutcome> {
    const target = Math.min(tokens, this.limitTokens);
    const outcome = await this.raiseToNano(this.deps.priceAt(target));
    if (outcome === "covered") {
      this.coveredTokens = Math.max(this.coveredTokens, target);
      this.whole ||= target === this.limitTokens;
    }
    return outcome;
  }

  private async raiseExactly(delivery: Deliverable): Promise<GrowOutcome> {
    const exactNano = await this.deps.priceStoppedAt(delivery);
    const aheadNano = (exactNano + this.priceOf(SMALLEST_STEP_TOKENS)) as Nano;
    let outcome = await this.raiseToNano(aheadNano);
    if (outcome === "refused") outcome = await this.raiseToNano(exactNano);
    if (outcome !== "covered") return outcome;
    this.coveredTokens =
      delivery.outputTokens + this.tokensFor((this.heldNano - exactNano) as Nano);
    this.whole = false;
    return "covered";
  }

  private async raiseToNano(amountNano: Nano): Promise<GrowOutcome> {
    const addNano = (amountNano - this.heldNano) as Nano;
    return addNano > 0n ? this.extendBy(addNano) : "covered";
  }

  /** What so many more tokens of output cost at most. */
  private priceOf(tokens: number): Nano {
    return (((this.deps.priceAt(PRICED_TOKENS) - this.deps.priceAt(0)) * BigInt(tokens)) /
      BigInt(PRICED_TOKENS)) as Nano;
  }

  /** How many tokens of output that pays for at least. */
  private tokensFor(amountNano: Nano): number {
    const each = this.priceOf(PRICED_TOKENS);
    return each === 0n ? this.limitTokens : Number((amountNano * BigInt(PRICED_TOKENS)) / each);
  }

  private async extendBy(addNano: Nano): Promise<GrowOutcome> {
    const verdict = await this.deps.extend({ holdId: this.holdId, addNano, ...this.deps.record() });
    if (verdict.kind === "gone") return "lost";
    this.heldNano = verdict.heldNano;
    return verdict.kind === "extended" ? "covered" : "refused";
  }

  private stepTokens(): number {
    return Math.min(LARGEST_STEP_TOKENS, Math.max(this.coveredTokens, SMALLEST_STEP_TOKENS));
  }

  /**
   * Runs after whatever was asked for before, so that two extensions never race over the same hold.
   */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.chain === null ? work() : this.chain.then(work, work);
    this.chain = next.catch(() => undefined);
    return next;
  }
}

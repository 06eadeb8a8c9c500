/** The rolling hold of one request: how many output tokens are paid for, and how the hold grows before they are delivered (RFC 8506 in spirit). */
import type { Uuid } from "../../kernel/ids.ts";
import type { Nano } from "../../kernel/money.ts";
import type { ExtendRequest, ExtendVerdict } from "../../ledger/hold-verdicts.ts";

const LARGEST_STEP_TOKENS = 8192;
/** When a whole step is refused, this much beyond the need is tried before the stream is stopped. */
const SMALLEST_STEP_TOKENS = 64;

/** What had been delivered by now, saved with every extension: the charge if this process dies. */
export interface Recorded {
  readonly recordedNano: Nano;
  /** JSON. */
  readonly detail: string;
}

export interface CoverageDeps {
  extend(request: ExtendRequest): Promise<ExtendVerdict>;
  /** Upper price of the whole request with this many output tokens. */
  priceAt(outputTokens: number): Nano;
  record(): Recorded;
}

/** `lost`: another process has settled this hold already, so nothing more can be charged to it. */
export type GrowOutcome = "covered" | "refused" | "lost";

export interface Coverage {
  readonly heldNano: Nano;
  readonly coveredTokens: number;
  covers(outputTokens: number): boolean;
  /** True when less than half a step is left, so that growing now avoids a pause later. */
  wantsMore(outputTokens: number): boolean;
  /** Extends the hold until it covers this many output tokens. One extension at a time; throws what the ledger throws. */
  grow(outputTokens: number): Promise<GrowOutcome>;
  /** Saves what was delivered without asking for more. */
  save(): Promise<void>;
  /** Tries to raise the hold to an amount that the upstream's usage came to. True when the hold now covers it. */
  coverAmount(amountNano: Nano): Promise<boolean>;
}

export function createCoverage(
  deps: CoverageDeps,
  start: { readonly holdId: Uuid; readonly heldNano: Nano; readonly coveredTokens: number; readonly limitTokens: number },
): Coverage {
  let heldNano = start.heldNano;
  let coveredTokens = start.coveredTokens;
  let chain: Promise<unknown> = Promise.resolve();

  async function extendBy(addNano: Nano): Promise<GrowOutcome> {
    const verdict = await deps.extend({ holdId: start.holdId, addNano, ...deps.record() });
    if (verdict.kind === "gone") return "lost";
    heldNano = verdict.heldNano;
    return verdict.kind === "extended" ? "covered" : "refused";
  }

  async function raiseTo(tokens: number): Promise<GrowOutcome> {
    const target = Math.min(tokens, start.limitTokens);
    const addNano = (deps.priceAt(target) - heldNano) as Nano;
    const outcome = addNano > 0n ? await extendBy(addNano) : "covered";
    if (outcome === "covered") coveredTokens = Math.max(coveredTokens, target);
    return outcome;
  }

  function covers(outputTokens: number): boolean {
    return outputTokens <= coveredTokens || coveredTokens >= start.limitTokens;
  }

  function stepTokens(): number {
    return Math.min(LARGEST_STEP_TOKENS, Math.max(coveredTokens, SMALLEST_STEP_TOKENS));
  }

  /** Runs after whatever was asked for before, so that two extensions never race over the same hold. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = chain.then(work, work);
    chain = next.catch(() => undefined);
    return next;
  }

  return {
    get heldNano() {
      return heldNano;
    },
    get coveredTokens() {
      return coveredTokens;
    },
    covers,
    wantsMore(outputTokens) {
      return coveredTokens < start.limitTokens && coveredTokens - outputTokens < stepTokens() / 2;
    },
    grow(outputTokens) {
      return inTurn(async () => {
        if (covers(outputTokens) && !this.wantsMore(outputTokens)) return "covered";
        const generous = await raiseTo(Math.max(outputTokens, coveredTokens) + stepTokens());
        if (generous !== "refused" || covers(outputTokens)) return generous === "lost" ? "lost" : "covered";
        return raiseTo(outputTokens + SMALLEST_STEP_TOKENS);
      });
    },
    save() {
      return inTurn(async () => {
        await extendBy(0n as Nano);
      });
    },
    coverAmount(amountNano) {
      return inTurn(async () => {
        if (amountNano <= heldNano) return true;
        await extendBy((amountNano - heldNano) as Nano);
        return amountNano <= heldNano;
      });
    },
  };
}

/** What requests cost and took, as the address has it, for the API; what it cannot mean is left out. Pure. */

/** Each empty: no bound. */
export interface TypedWeights {
  /** Roubles. */
  readonly chargedFrom: string;
  readonly chargedTo: string;
  /** Milliseconds. */
  readonly durationFrom: string;
  readonly durationTo: string;
}

export interface AskedWeights {
  readonly chargedFrom?: string;
  readonly chargedTo?: string;
  readonly durationFromMs?: number;
  readonly durationToMs?: number;
}

/** With a comma too, as it is typed. */
export const ROUBLES = /^\d{1,9}([.,]\d{1,9})?$/;
export const MILLISECONDS = /^\d{1,9}$/;

export function askedWeights(typed: TypedWeights): AskedWeights {
  const { chargedFrom, chargedTo, durationFrom, durationTo } = typed;
  return {
    ...(ROUBLES.test(chargedFrom) && { chargedFrom: chargedFrom.replace(",", ".") }),
    ...(ROUBLES.test(chargedTo) && { chargedTo: chargedTo.replace(",", ".") }),
    ...(MILLISECONDS.test(durationFrom) && { durationFromMs: Number(durationFrom) }),
    ...(MILLISECONDS.test(durationTo) && { durationToMs: Number(durationTo) }),
  };
}

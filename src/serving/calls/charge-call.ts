/**
 * What one call is charged: the upstream's own usage where it can be true, else a count of what was
 * sent and came; what is priced by the piece, by the pieces.
 */
import type { UsageSource } from "../../contract/enums/usage-source.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { CALL_TOKEN_KINDS, type CallPrice } from "../../contract/price/call-price.ts";
import {
  NOTHING_CALLED,
  type CallCounts,
  type CallUsage,
} from "../../contract/price/call-usage.ts";
import { priceCall } from "../../contract/price/price-call.ts";
import { sayReason } from "../../contract/sentences/say-reason.ts";
import { nano, ZERO_NANO, type Nano } from "../../kernel/money.ts";
import { NO_USAGE, promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import type { AskedCall, CallMeasure } from "../../protocol/calls/call-protocol.ts";
import type { UsageReading } from "../../protocol/usage-reading.ts";
import type { CountTexts } from "../chat/refuse-too-long.ts";

export interface CallCharge {
  readonly usage: CallUsage;
  readonly usageSource: UsageSource;
  readonly priceNano: Nano;
  /** What a usage that is not believed would have cost beyond it, for the operator's loss. */
  readonly disbelievedNano: Nano;
  /** Why the upstream's usage was not believed, for the alert; null: it was. */
  readonly suspicion: WordedReason | null;
}

/** What its caller got, or would have. */
export interface DeliveredCall {
  readonly anything: boolean;
  /** Generated text. */
  readonly text: string;
  /** As the answer shows; they take the place of what was asked. */
  readonly counts: CallCounts;
}

export interface CallSubject {
  readonly price: CallPrice;
  readonly asked: Pick<AskedCall, "texts" | "overheadTokens">;
  readonly measure: CallMeasure;
}

export const UNCHARGED: CallCharge = {
  usage: NOTHING_CALLED,
  usageSource: "none",
  priceNano: ZERO_NANO,
  disbelievedNano: ZERO_NANO,
  suspicion: null,
};

/** Each input by itself: what one ends with and the next begins with makes no token together. */
export async function countInputs(
  countTexts: CountTexts,
  { texts, overheadTokens }: Pick<AskedCall, "texts" | "overheadTokens">,
): Promise<number> {
  let tokens = overheadTokens;
  for (const text of texts()) tokens += await countTexts([text]);
  return tokens;
}

export function countsTokens({ amounts }: CallPrice): boolean {
  return CALL_TOKEN_KINDS.some((kind) => amounts.has(kind));
}

/** Nothing delivered costs nothing. Throws what the counter and the price throw. */
export async function chargeCall(
  subject: CallSubject,
  reading: UsageReading,
  delivered: DeliveredCall,
  countTexts: CountTexts,
): Promise<CallCharge> {
  const { price, measure } = subject;
  const suspicion = disbelief(reading, measure);
  if (!delivered.anything) return { ...UNCHARGED, suspicion };
  const counts = { ...measure.counts, ...delivered.counts };
  const reported = reading.kind === "valid" && suspicion === null ? reading.usage : null;
  const tokens =
    reported ??
    (countsTokens(price) ? await counted(subject, reading, delivered, countTexts) : NO_USAGE);
  const usage = { tokens, counts };
  const priceNano = priceCall(price, usage);
  return {
    usage,
    usageSource: reported !== null && countsTokens(price) ? "upstream" : "counted",
    priceNano,
    disbelievedNano: suspicion === null ? ZERO_NANO : beyond(price, reading, counts, priceNano),
    suspicion,
  };
}

/** An absurd usage has no price in the ledger's range; the alert carries its figures. */
function beyond(
  price: CallPrice,
  reading: UsageReading,
  counts: CallCounts,
  priceNano: Nano,
): Nano {
  if (reading.kind !== "valid") return ZERO_NANO;
  try {
    const claimedNano = priceCall(price, { tokens: reading.usage, counts });
    return claimedNano > priceNano ? nano(claimedNano - priceNano) : ZERO_NANO;
  } catch {
    return ZERO_NANO;
  }
}

/** Why it cannot be true; null where it can, or where nothing was reported. */
function disbelief(reading: UsageReading, measure: CallMeasure): WordedReason | null {
  if (reading.kind === "unbelievable") return reading;
  if (reading.kind === "absent") return null;
  const { usage, samplings: runs } = reading;
  const tokens = promptTokensOf(usage);
  if (tokens > measure.mostInputTokens)
    return sayReason("input_above_window", { tokens, limit: measure.mostInputTokens, runs: 1 });
  return usage.outputTokens > measure.outputTokens * runs
    ? sayReason("output_above_limit", {
        tokens: usage.outputTokens,
        limit: measure.outputTokens,
        runs,
      })
    : null;
}

/** By our tokenizer, with the side that the upstream reported where it reported one that can be true. */
async function counted(
  { asked, measure }: CallSubject,
  reading: UsageReading,
  delivered: DeliveredCall,
  countTexts: CountTexts,
): Promise<TokenUsage> {
  const known = reading.kind === "partial" && disbelief(reading, measure) === null ? reading : null;
  const inputTokens =
    known?.known === "input"
      ? promptTokensOf(known.usage)
      : Math.min(await countInputs(countTexts, asked), measure.mostInputTokens);
  const outputTokens =
    known?.known === "output"
      ? known.usage.outputTokens
      : Math.min(
          measure.outputTokens === 0 ? 0 : await countTexts([delivered.text]),
          measure.outputTokens,
        );
  return { ...NO_USAGE, inputTokens, outputTokens };
}

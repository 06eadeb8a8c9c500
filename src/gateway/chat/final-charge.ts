/** What one answer costs: the upstream's own usage where it can be true, else a count of what was delivered (contract §6). */
import { priceChat } from "../../catalogue/price.ts";
import type { ChatModel } from "../../catalogue/catalogue.ts";
import type { Nano } from "../../kernel/money.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import type { TokenUsage, UsageSource } from "../../kernel/token-usage.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { UsageReading } from "../../protocol/usage-reading.ts";

export interface FinalCharge {
  readonly usage: TokenUsage;
  readonly usageSource: UsageSource;
  readonly priceNano: Nano;
  /** What an unbelievable usage would have cost beyond priceNano, for the operator's loss; zero where it was believed or has no price. */
  readonly disbelievedNano: Nano;
  /** Why the upstream's usage was not believed, for the alert. */
  readonly suspicion: string | null;
}

export interface Delivered {
  /** Anything that a client would call content reached it, or would have. */
  readonly anything: boolean;
  readonly text: string;
}

export interface ChargeSubject {
  readonly model: ChatModel;
  readonly limitTokens: number;
  readonly images: number;
  /** Prompt tokens that the text does not show: the format's own, and media. */
  readonly overheadTokens: number;
  promptText(): string;
}

const NOTHING: FinalCharge = { usage: NO_USAGE, usageSource: "none", priceNano: ZERO_NANO, disbelievedNano: ZERO_NANO, suspicion: null };

/**
 * The reason why a usage is physically impossible, or null: more input than the context window, or more output than was asked for, for
 * each run of the model that the upstream made on the way to its answer.
 */
export function disbelief(usage: TokenUsage, subject: Pick<ChargeSubject, "model" | "limitTokens">, samplings: number): string | null {
  const input = usage.inputTokens + usage.cachedInputTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  const runs = samplings === 1 ? "" : `${samplings} times `;
  if (input > subject.model.contextTokens * samplings)
    return `input of ${input} tokens is above ${runs}the context window of ${subject.model.contextTokens}`;
  if (usage.outputTokens > subject.limitTokens * samplings)
    return `output of ${usage.outputTokens} tokens is above ${runs}the limit of ${subject.limitTokens}`;
  return null;
}

function priceOrZero(subject: ChargeSubject, usage: TokenUsage): Nano {
  try {
    return priceChat(subject.model.price, usage);
  } catch {
    // An absurd usage has no price in the ledger's range; the alert carries the figures.
    return ZERO_NANO;
  }
}

/** The count, with the side of it that the upstream reported; the count alone where that cannot be true. */
export function withKnownSide(
  counted: TokenUsage,
  reading: Extract<UsageReading, { kind: "partial" }>,
  subject: Pick<ChargeSubject, "model" | "limitTokens">,
): TokenUsage {
  if (disbelief(reading.usage, subject, reading.samplings) !== null) return counted;
  const { outputTokens, reasoningTokens, ...input } = reading.usage;
  if (reading.known === "output") return { ...counted, outputTokens, reasoningTokens };
  return { ...input, outputTokens: counted.outputTokens, reasoningTokens: counted.reasoningTokens, images: counted.images };
}

/**
 * Prices an answer. A usage that the upstream reported as zero is zero; an absent one is counted, of a partial one the side that is
 * missing; an impossible one is counted too, and the difference is the operator's. Nothing delivered and nothing reported costs nothing.
 */
export async function finalCharge(
  subject: ChargeSubject,
  reading: UsageReading,
  delivered: Delivered,
  countTokens: (text: string) => Promise<number>,
): Promise<FinalCharge> {
  let suspicion: string | null = reading.kind === "unbelievable" ? reading.reason : null;
  let claimed: TokenUsage | null = null;
  if (reading.kind === "valid") {
    const usage = { ...reading.usage, images: subject.images };
    const doubt = disbelief(usage, subject, reading.samplings);
    if (doubt === null) {
      return {
        usage,
        usageSource: "upstream",
        priceNano: priceChat(subject.model.price, usage),
        disbelievedNano: ZERO_NANO,
        suspicion: null,
      };
    }
    suspicion = doubt;
    claimed = usage;
  }
  if (!delivered.anything) return { ...NOTHING, suspicion };
  const [promptTokens, outputTokens] = await Promise.all([countTokens(subject.promptText()), countTokens(delivered.text)]);
  const counted: TokenUsage = {
    ...NO_USAGE,
    inputTokens: Math.min(promptTokens + subject.overheadTokens, subject.model.contextTokens),
    outputTokens: Math.min(outputTokens, subject.limitTokens),
    images: subject.images,
  };
  const usage = reading.kind === "partial" ? withKnownSide(counted, reading, subject) : counted;
  if (reading.kind === "partial" && usage === counted) suspicion = disbelief(reading.usage, subject, reading.samplings);
  const priceNano = priceChat(subject.model.price, usage);
  const claimedNano = claimed === null ? priceNano : priceOrZero(subject, claimed);
  const disbelievedNano = claimedNano > priceNano ? ((claimedNano - priceNano) as Nano) : ZERO_NANO;
  return { usage, usageSource: "counted", priceNano, disbelievedNano, suspicion };
}

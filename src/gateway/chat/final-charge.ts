/** What one answer costs: the upstream's own usage where it can be true, else a count of what was delivered (contract §6). */
import { priceChat } from "../../catalogue/price.ts";
import type { ChatModel } from "../../catalogue/catalogue.ts";
import type { Nano } from "../../kernel/money.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import type { TokenUsage, UsageSource } from "../../kernel/token-usage.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { ChatRequest } from "../../protocol/chat-request.ts";
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
  readonly prompt: Pick<ChatRequest, "images" | "overheadTokens" | "promptText">;
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
 * A promise only where something has to be counted; throws what the price does.
 */
export function finalCharge(
  subject: ChargeSubject,
  reading: UsageReading,
  delivered: Delivered,
  countTokens: (text: string) => Promise<number>,
): FinalCharge | Promise<FinalCharge> {
  let suspicion = reading.kind === "unbelievable" ? reading.reason : null;
  let claimed: TokenUsage | null = null;
  if (reading.kind === "valid") {
    claimed = withImages(reading.usage, subject.prompt.images);
    suspicion = disbelief(claimed, subject, reading.samplings);
    if (suspicion === null) {
      const priceNano = priceChat(subject.model.price, claimed);
      return { usage: claimed, usageSource: "upstream", priceNano, disbelievedNano: ZERO_NANO, suspicion };
    }
  }
  return delivered.anything ? countedCharge(subject, reading, delivered, countTokens, suspicion, claimed) : { ...NOTHING, suspicion };
}

/** Upstreams do not report images; the request shows them. */
export function withImages(usage: TokenUsage, images: number): TokenUsage {
  return usage.images === images ? usage : { ...usage, images };
}

/** `claimed`: what the upstream reported and is not believed. */
async function countedCharge(
  subject: ChargeSubject,
  reading: UsageReading,
  delivered: Delivered,
  countTokens: (text: string) => Promise<number>,
  doubt: string | null,
  claimed: TokenUsage | null,
): Promise<FinalCharge> {
  const { model, limitTokens, prompt } = subject;
  const [promptTokens, outputTokens] = await Promise.all([countTokens(prompt.promptText()), countTokens(delivered.text)]);
  const counted: TokenUsage = {
    ...NO_USAGE,
    inputTokens: Math.min(promptTokens + prompt.overheadTokens, model.contextTokens),
    outputTokens: Math.min(outputTokens, limitTokens),
    images: prompt.images,
  };
  const usage = reading.kind === "partial" ? withKnownSide(counted, reading, subject) : counted;
  const suspicion = reading.kind === "partial" && usage === counted ? disbelief(reading.usage, subject, reading.samplings) : doubt;
  const priceNano = priceChat(model.price, usage);
  const claimedNano = claimed === null ? priceNano : priceOrZero(subject, claimed);
  const disbelievedNano = claimedNano > priceNano ? ((claimedNano - priceNano) as Nano) : ZERO_NANO;
  return { usage, usageSource: "counted", priceNano, disbelievedNano, suspicion };
}

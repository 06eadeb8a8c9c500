/**
 * What one answer costs: the upstream's own usage where it can be true, else a count of what was
 * delivered (contract §6).
 */
import type { UsageSource } from "../../contract/enums/usage-source.ts";
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { CodedReason, WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { AskedRaises } from "../../contract/price/asked-raises.ts";
import type { ChatUse } from "../../contract/price/chat-tariff.ts";
import { priceChat } from "../../contract/price/price-chat.ts";
import type { ChatModel, CountFactor } from "../../catalogue/catalogue.ts";
import type { Nano } from "../../kernel/money.ts";
import { ZERO_NANO } from "../../kernel/money.ts";
import { NO_USAGE, promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import { withAskedLife } from "./asked-cache-life.ts";
import { withAskedMedia } from "./asked-media.ts";
import type { ChatRequest } from "../../protocol/chat-request.ts";
import type { UsageReading } from "../../protocol/usage-reading.ts";
import { timesFactor } from "./count-factor.ts";

export interface FinalCharge {
  readonly usage: TokenUsage;
  readonly usageSource: UsageSource;
  readonly priceNano: Nano;
  /**
   * What an unbelievable usage would have cost beyond priceNano, for the operator's loss; zero
   * where it was believed or has no price.
   */
  readonly disbelievedNano: Nano;
  /** Why the upstream's usage was not believed, for the alert. */
  readonly suspicion: string | null;
  /** The same for pages; absent where there are only other words. */
  readonly suspicionCoded?: CodedReason;
  /**
   * What of the upstream's usage was cut to fit: it was believed for the rest, so this is no alert.
   */
  readonly note?: string;
}

export interface Delivered {
  /** Anything that a client would call content reached it, or would have. */
  readonly anything: boolean;
  readonly text: string;
}

export interface ChargeSubject {
  readonly model: ChatModel;
  readonly limitTokens: number;
  /** What counts beside tokens; null: nothing. */
  readonly use: ChatUse | null;
  readonly asked: AskedRaises | null;
  /**
   * How long lives what the upstream writes to its cache, where its protocol does not tell and the
   * request does.
   */
  readonly writesLive?: "1h" | null;
  readonly prompt: Pick<ChatRequest, "images" | "overheadTokens" | "promptText">;
  /** The count of the whole prompt where it has been made; else null. */
  readonly promptTokens: number | null;
  /** What counts are multiplied by; null: nothing. */
  readonly countFactor: CountFactor | null;
  /**
   * How many tokens of the prompt were probably read from a cache, for where the upstream does not
   * say.
   */
  cachedTokens(): number;
}

const NOTHING: FinalCharge = {
  usage: NO_USAGE,
  usageSource: "none",
  priceNano: ZERO_NANO,
  disbelievedNano: ZERO_NANO,
  suspicion: null,
};

/**
 * The reason why a usage is physically impossible, or null: more input than the context window, or
 * more output than was asked for, for each run of the model that the upstream made on the way to
 * its answer.
 */
export function disbelief(
  usage: TokenUsage,
  subject: Pick<ChargeSubject, "model" | "limitTokens">,
  samplings: number,
): WordedReason | null {
  const tokens = promptTokensOf(usage);
  const { contextTokens } = subject.model;
  if (tokens > contextTokens * samplings)
    return sayReason("input_above_window", { tokens, limit: contextTokens, runs: samplings });
  const { outputTokens } = usage;
  if (outputTokens > subject.limitTokens * samplings)
    return sayReason("output_above_limit", {
      tokens: outputTokens,
      limit: subject.limitTokens,
      runs: samplings,
    });
  return null;
}

function priceOrZero(subject: ChargeSubject, usage: TokenUsage): Nano {
  try {
    return priceChat(subject.model, usage, subject.use);
  } catch {
    // An absurd usage has no price in the ledger's range; the alert carries the figures.
    return ZERO_NANO;
  }
}

/**
 * The count, with the side of it that the upstream reported; the count alone where that cannot be
 * true.
 */
export function withKnownSide(
  counted: TokenUsage,
  reading: Extract<UsageReading, { kind: "partial" }>,
  subject: Pick<ChargeSubject, "model" | "limitTokens">,
): TokenUsage {
  if (disbelief(reading.usage, subject, reading.samplings) !== null) return counted;
  const { outputTokens, reasoningTokens, media, ...input } = reading.usage;
  const promptAlone = media === undefined ? {} : { media };
  if (reading.known === "output")
    return { ...counted, outputTokens, reasoningTokens, ...promptAlone };
  return {
    ...input,
    ...promptAlone,
    outputTokens: counted.outputTokens,
    reasoningTokens: counted.reasoningTokens,
    images: counted.images,
  };
}

/**
 * Prices an answer. A usage that the upstream reported as zero is zero; an absent one is counted,
 * of a partial one the side that is missing; an impossible one is counted too, and the difference
 * is the operator's. Nothing delivered and nothing reported costs nothing. A promise only where
 * something has to be counted; throws what the price does.
 */
export function finalCharge(
  subject: ChargeSubject,
  reading: UsageReading,
  delivered: Delivered,
  countTokens: (text: string) => Promise<number>,
): FinalCharge | Promise<FinalCharge> {
  let suspicion: WordedReason | null = reading.kind === "unbelievable" ? reading : null;
  let claimed: TokenUsage | null = null;
  if (reading.kind === "valid") {
    claimed = claimedUsage(reading, subject);
    suspicion = disbelief(claimed, subject, reading.samplings);
    if (suspicion === null) {
      const priceNano = priceChat(subject.model, claimed, subject.use);
      const note = reading.note === undefined ? {} : { note: reading.note };
      return {
        usage: claimed,
        usageSource: "upstream",
        priceNano,
        disbelievedNano: ZERO_NANO,
        suspicion: null,
        ...note,
      };
    }
  }
  return delivered.anything
    ? countedCharge(subject, reading, delivered, countTokens, suspicion, claimed)
    : { ...NOTHING, ...suspicionPart(suspicion) };
}

/** What the upstream reported, with what only the request shows. */
export function claimedUsage(
  { usage, livesReported }: Extract<UsageReading, { kind: "valid" }>,
  {
    prompt,
    asked,
    writesLive = null,
  }: Pick<ChargeSubject, "asked" | "writesLive"> & { readonly prompt: Pick<ChatRequest, "images"> },
): TokenUsage {
  return withAskedLife(
    withAskedMedia(withImages(usage, prompt.images), asked),
    livesReported === true ? null : writesLive,
  );
}

/** Upstreams do not report images; the request shows them. */
function withImages(usage: TokenUsage, images: number): TokenUsage {
  return usage.images === images ? usage : { ...usage, images };
}

/** `claimed`: what the upstream reported and is not believed. */
async function countedCharge(
  subject: ChargeSubject,
  reading: UsageReading,
  delivered: Delivered,
  countTokens: (text: string) => Promise<number>,
  doubt: WordedReason | null,
  claimed: TokenUsage | null,
): Promise<FinalCharge> {
  const { model, limitTokens, prompt, countFactor } = subject;
  const promptTokens =
    subject.promptTokens ?? (await countTokens(prompt.promptText())) + prompt.overheadTokens;
  const outputTokens = timesFactor(await countTokens(delivered.text), countFactor?.output);
  const counted: TokenUsage = {
    ...countedPrompt(subject, promptTokens),
    outputTokens: Math.min(outputTokens, limitTokens),
    images: prompt.images,
  };
  const usage = reading.kind === "partial" ? withKnownSide(counted, reading, subject) : counted;
  const suspicion =
    reading.kind === "partial" && usage === counted
      ? disbelief(reading.usage, subject, reading.samplings)
      : doubt;
  const priceNano = priceChat(model, usage, subject.use);
  const claimedNano = claimed === null ? priceNano : priceOrZero(subject, claimed);
  const disbelievedNano = claimedNano > priceNano ? ((claimedNano - priceNano) as Nano) : ZERO_NANO;
  return {
    usage,
    usageSource: countedSource(reading, usage),
    priceNano,
    disbelievedNano,
    ...suspicionPart(suspicion),
  };
}

function suspicionPart(
  worded: WordedReason | null,
): Pick<FinalCharge, "suspicion" | "suspicionCoded"> {
  return {
    suspicion: worded?.reason ?? null,
    ...(worded?.coded === undefined ? {} : { suspicionCoded: worded.coded }),
  };
}

/** A prompt of so many tokens by our tokenizer, as its upstream probably counts it. */
export function countedPrompt(
  { model, countFactor, cachedTokens }: ChargeSubject,
  promptTokens: number,
): TokenUsage {
  const all = Math.min(timesFactor(promptTokens, countFactor?.input), model.contextTokens);
  const cachedInputTokens = Math.min(cachedTokens(), all);
  return { ...NO_USAGE, inputTokens: all - cachedInputTokens, cachedInputTokens };
}

/** What is cached in a usage whose prompt the upstream has told is its own word. */
export function countedSource(
  reading: UsageReading,
  { cachedInputTokens }: TokenUsage,
): UsageSource {
  const promptAlone = reading.kind === "partial" && reading.known === "input";
  return cachedInputTokens > 0 && !promptAlone ? "counted-with-cache" : "counted";
}

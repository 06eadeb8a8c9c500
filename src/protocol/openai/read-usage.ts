/** The `usage` object of the OpenAI protocol, read into the neutral shape and written back from it. */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { readTokenCount } from "../token-count.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";

const NO_DETAILS: Record<string, unknown> = {};

function unbelievable(reason: string): UsageReading {
  return { kind: "unbelievable", reason };
}

/** Read from a cache: OpenAI's place, DeepSeek's, and that of Kimi and Together. */
function cachedOf(raw: Record<string, unknown>, details: Record<string, unknown>): unknown {
  return details["cached_tokens"] ?? raw["prompt_cache_hit_tokens"] ?? raw["cached_tokens"];
}

/** Written to a cache: OpenRouter's word, Qwen's, and LiteLLM's. */
function writtenOf(details: Record<string, unknown>): unknown {
  return details["cache_write_tokens"] ?? details["cache_creation_input_tokens"] ?? details["cache_creation_tokens"];
}

/**
 * Tokens of reasoning that the upstream leaves out of its completion: xAI names them, Google's endpoint for this protocol shows them in
 * its total alone. `beyond` is what the total has beyond the rest; it may also be what of the prompt was read from a cache or written to
 * one, and that is no output.
 */
function reasoningApart(beyond: number, reasoning: number, { read, written }: { readonly read: number; readonly written: number }): number {
  if (reasoning > 0) return beyond === reasoning ? reasoning : 0;
  return beyond > 0 && ![read, written, read + written].includes(beyond) ? beyond : 0;
}

/**
 * Reads `usage` of a completion or chunk. By OpenAI's rule cached and cache-write tokens are parts of `prompt_tokens`, and reasoning
 * tokens of `completion_tokens`. Some upstreams of this protocol leave reasoning out of `completion_tokens`; their own `total_tokens`
 * shows it, and then it is added. Negative, fractional and larger-than-safe counts are unbelievable, as are parts larger than their
 * whole. Whether a count is physically possible for the request is the gateway's to judge.
 */
export function readUsage(raw: unknown): UsageReading {
  if (raw === undefined || raw === null) return ABSENT_USAGE;
  if (!isRecord(raw)) return unbelievable("usage is not an object");
  const promptDetails = isRecord(raw["prompt_tokens_details"]) ? raw["prompt_tokens_details"] : NO_DETAILS;
  const completionDetails = isRecord(raw["completion_tokens_details"]) ? raw["completion_tokens_details"] : NO_DETAILS;
  const prompt = readTokenCount(raw["prompt_tokens"]);
  const completion = readTokenCount(raw["completion_tokens"]);
  const total = readTokenCount(raw["total_tokens"]);
  const cached = readTokenCount(cachedOf(raw, promptDetails));
  const cacheWrite = readTokenCount(writtenOf(promptDetails));
  const reasoning = readTokenCount(completionDetails["reasoning_tokens"]);
  if (prompt === "bad" || completion === "bad" || total === "bad") return unbelievable("a token count is not a whole number from zero up");
  if (cached === "bad" || cacheWrite === "bad" || reasoning === "bad") {
    return unbelievable("a detail of the token counts is not a whole number from zero up");
  }
  // MiniMax says a total of zero with every piece of a stream.
  if (prompt === undefined && completion === undefined)
    return (total ?? 0) === 0 ? ABSENT_USAGE : unbelievable("only total_tokens is given");
  const whole = total ?? Number.NaN;
  const promptTokens = prompt ?? whole - (completion ?? Number.NaN);
  const generated = completion ?? whole - promptTokens;
  if (!(promptTokens >= 0)) return unbelievable("prompt_tokens is missing");
  if (!(generated >= 0)) return unbelievable("completion_tokens is missing");
  const cachedTokens = cached ?? 0;
  const cacheWriteTokens = cacheWrite ?? 0;
  const reasoningTokens = reasoning ?? 0;
  if (cachedTokens + cacheWriteTokens > promptTokens) return unbelievable("more cached tokens than prompt tokens");
  const beyond = (total ?? 0) - promptTokens - generated;
  const apart = reasoningApart(beyond, reasoningTokens, { read: cachedTokens, written: cacheWriteTokens });
  if (apart === 0 && reasoningTokens > generated) return unbelievable("more reasoning tokens than completion tokens");
  const outputTokens = generated + apart;
  if (!Number.isSafeInteger(outputTokens)) return unbelievable("the token counts do not fit");
  return {
    kind: "valid",
    usage: {
      inputTokens: promptTokens - cachedTokens - cacheWriteTokens,
      cachedInputTokens: cachedTokens,
      cacheWrite5mTokens: cacheWriteTokens,
      cacheWrite1hTokens: 0,
      outputTokens,
      reasoningTokens: Math.max(reasoningTokens, apart),
      images: 0,
    },
    samplings: 1,
  };
}

/**
 * The usage of a chunk or completion, wherever it stands: in its own field, in Groq's of a stream, or in a choice (Kimi). Each tells of
 * the whole answer, so the first that says something counts.
 */
export function readAnswerUsage({ usage, x_groq: groq, choices }: Record<string, unknown>): UsageReading {
  const own = readUsage(usage);
  if (own !== ABSENT_USAGE) return own;
  const ofStream = usageWithin(groq);
  if (ofStream !== ABSENT_USAGE || !Array.isArray(choices)) return ofStream;
  for (const choice of choices as readonly unknown[]) {
    const ofChoice = usageWithin(choice);
    if (ofChoice !== ABSENT_USAGE) return ofChoice;
  }
  return ABSENT_USAGE;
}

function usageWithin(place: unknown): UsageReading {
  return isRecord(place) ? readUsage(place["usage"]) : ABSENT_USAGE;
}

/** The neutral shape as an OpenAI `usage` object, for answers that the gateway itself completes. */
export function renderUsage(usage: TokenUsage): Record<string, unknown> {
  const prompt = usage.inputTokens + usage.cachedInputTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** The `usage` object of the OpenAI protocol, read into the neutral shape and written back from it. */
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";

/** A count of tokens, undefined when not given, or "bad" for what cannot be one. */
function readCount(raw: unknown): number | undefined | "bad" {
  if (raw === undefined || raw === null) return undefined;
  return typeof raw === "number" && Number.isSafeInteger(raw) && raw >= 0 ? raw : "bad";
}

const NO_DETAILS: Record<string, unknown> = {};

function unbelievable(reason: string): UsageReading {
  return { kind: "unbelievable", reason };
}

/**
 * Reads `usage` of a completion or chunk. By OpenAI's rule cached and cache-write tokens are parts of `prompt_tokens`, and reasoning
 * tokens of `completion_tokens`. Some upstreams of this protocol (xAI) leave reasoning out of `completion_tokens`; their own
 * `total_tokens` shows it, and then it is added. Negative, fractional and larger-than-safe counts are unbelievable, as are parts larger
 * than their whole. Whether a count is physically possible for the request is the gateway's to judge.
 */
export function readUsage(raw: unknown): UsageReading {
  if (raw === undefined || raw === null) return ABSENT_USAGE;
  if (!isRecord(raw)) return unbelievable("usage is not an object");
  const promptDetails = isRecord(raw["prompt_tokens_details"]) ? raw["prompt_tokens_details"] : NO_DETAILS;
  const completionDetails = isRecord(raw["completion_tokens_details"]) ? raw["completion_tokens_details"] : NO_DETAILS;
  const prompt = readCount(raw["prompt_tokens"]);
  const completion = readCount(raw["completion_tokens"]);
  const total = readCount(raw["total_tokens"]);
  const cached = readCount(promptDetails["cached_tokens"] ?? raw["prompt_cache_hit_tokens"]);
  const cacheWrite = readCount(promptDetails["cache_write_tokens"]);
  const reasoning = readCount(completionDetails["reasoning_tokens"]);
  if (prompt === "bad" || completion === "bad" || total === "bad") return unbelievable("a token count is not a whole number from zero up");
  if (cached === "bad" || cacheWrite === "bad" || reasoning === "bad") {
    return unbelievable("a detail of the token counts is not a whole number from zero up");
  }
  if (prompt === undefined && completion === undefined)
    return total === undefined ? ABSENT_USAGE : unbelievable("only total_tokens is given");
  const whole = total ?? Number.NaN;
  const promptTokens = prompt ?? whole - (completion ?? Number.NaN);
  const generated = completion ?? whole - promptTokens;
  if (!(promptTokens >= 0)) return unbelievable("prompt_tokens is missing");
  if (!(generated >= 0)) return unbelievable("completion_tokens is missing");
  const cachedTokens = cached ?? 0;
  const cacheWriteTokens = cacheWrite ?? 0;
  const reasoningTokens = reasoning ?? 0;
  if (cachedTokens + cacheWriteTokens > promptTokens) return unbelievable("more cached tokens than prompt tokens");
  const reasoningIsApart = reasoningTokens > 0 && total === promptTokens + generated + reasoningTokens;
  if (!reasoningIsApart && reasoningTokens > generated) return unbelievable("more reasoning tokens than completion tokens");
  const outputTokens = reasoningIsApart ? generated + reasoningTokens : generated;
  if (!Number.isSafeInteger(outputTokens)) return unbelievable("the token counts do not fit");
  return {
    kind: "valid",
    usage: {
      inputTokens: promptTokens - cachedTokens - cacheWriteTokens,
      cachedInputTokens: cachedTokens,
      cacheWrite5mTokens: cacheWriteTokens,
      cacheWrite1hTokens: 0,
      outputTokens,
      reasoningTokens,
      images: 0,
    },
    samplings: 1,
  };
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

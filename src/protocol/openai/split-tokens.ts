/**
 * Splits the totals of a usage into the kinds of tokens that have a price: audio, image and cached
 * tokens are shares of them.
 */
import type { MediaTokens, TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import type { UsageNotes } from "../usage-notes.ts";

const NO_DETAILS: Record<string, unknown> = {};

export function detailsOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : NO_DETAILS;
}

/** Read from a cache: OpenAI's place, DeepSeek's, and that of Kimi and Together. */
function cachedOf(raw: Record<string, unknown>, details: Record<string, unknown>): unknown {
  return details["cached_tokens"] ?? raw["prompt_cache_hit_tokens"] ?? raw["cached_tokens"];
}

/** Written to a cache: OpenRouter's word, Qwen's, and LiteLLM's. */
function writtenOf(details: Record<string, unknown>): unknown {
  return (
    details["cache_write_tokens"] ??
    details["cache_creation_input_tokens"] ??
    details["cache_creation_tokens"]
  );
}

/** For how long it lives, by those who tell it: Anthropic's lives, and OpenAI's. */
function livesOf(details: Record<string, unknown>): {
  readonly long: unknown;
  readonly short: unknown;
} {
  const anthropic = detailsOf(details["cache_creation_token_details"]);
  const openAi = detailsOf(details["cache_write_tokens_details"]);
  return {
    long: anthropic["ephemeral_1h_input_tokens"] ?? openAi["ttl_12h_tokens"],
    short: anthropic["ephemeral_5m_input_tokens"] ?? openAi["ttl_30m_tokens"],
  };
}

/** Whether it is told for how long lives what was written to a cache. */
export function tellsLives(raw: Record<string, unknown>): boolean {
  const { long, short } = livesOf(detailsOf(raw["prompt_tokens_details"]));
  return typeof (long ?? short) === "number";
}

export type PromptSplit = Pick<
  TokenUsage,
  "inputTokens" | "cachedInputTokens" | "cacheWrite5mTokens" | "cacheWrite1hTokens"
> &
  Pick<MediaTokens, "audioInput" | "imageInput">;

/**
 * Of `promptTokens`, by its details: what was read from a cache comes first, then what was written
 * to one, then audio and images. Cached tokens come off the text first, then off the images, then
 * off the audio (contract §12), unless the upstream splits them itself, as OpenAI does in
 * `cached_tokens_details`.
 */
export function splitPrompt(
  promptTokens: number,
  raw: Record<string, unknown>,
  notes: UsageNotes,
): PromptSplit {
  const details = detailsOf(raw["prompt_tokens_details"]);
  const cached = notes.within(
    notes.detail(cachedOf(raw, details), "cached_tokens"),
    promptTokens,
    "cached",
  );
  const written = notes.within(
    notes.detail(writtenOf(details), "cache_write_tokens"),
    promptTokens - cached,
    "cache-written",
  );
  const hour = notes.within(
    notes.detail(livesOf(details).long, "long-lived cache writes"),
    written,
    "hour-long",
  );
  const audio = notes.within(
    notes.detail(details["audio_tokens"], "audio_tokens"),
    promptTokens,
    "audio",
  );
  const image = notes.within(
    notes.detail(details["image_tokens"], "image_tokens"),
    promptTokens - audio,
    "image",
  );
  const counts = {
    inputTokens: promptTokens - cached - written,
    cachedInputTokens: cached,
    cacheWrite5mTokens: written - hour,
    cacheWrite1hTokens: hour,
    audioInput: 0,
    imageInput: 0,
  };
  if (audio + image === 0) return counts;
  const split = detailsOf(details["cached_tokens_details"]);
  const cachedAudio = Math.min(
    notes.detail(split["audio_tokens"], "cached audio_tokens"),
    audio,
    cached,
  );
  const cachedImage = Math.min(
    notes.detail(split["image_tokens"], "cached image_tokens"),
    image,
    cached - cachedAudio,
  );
  let rest = cached + written - cachedAudio - cachedImage;
  const takeFrom = (tokens: number): number => {
    const taken = Math.min(tokens, rest);
    rest -= taken;
    return tokens - taken;
  };
  const inputTokens = takeFrom(promptTokens - audio - image);
  const imageInput = takeFrom(image - cachedImage);
  return { ...counts, inputTokens, imageInput, audioInput: takeFrom(audio - cachedAudio) };
}

export type OutputSplit = Pick<TokenUsage, "reasoningTokens"> &
  Pick<MediaTokens, "audioOutput" | "imageOutput">;

/** Of `outputTokens`: its parts, none of which is in another. What costs most is believed first. */
export function splitOutput(
  outputTokens: number,
  reasoning: number,
  details: Record<string, unknown>,
  notes: UsageNotes,
): OutputSplit {
  const audioOutput = notes.within(
    notes.detail(details["audio_tokens"], "audio_tokens"),
    outputTokens,
    "audio output",
  );
  const imageOutput = notes.within(
    notes.detail(details["image_tokens"], "image_tokens"),
    outputTokens - audioOutput,
    "image output",
  );
  const reasoningTokens = notes.within(
    reasoning,
    outputTokens - audioOutput - imageOutput,
    "reasoning",
  );
  return { audioOutput, imageOutput, reasoningTokens };
}

/**
 * The `usage` object of the OpenAI protocol, read into the neutral shape and written back from it.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import { promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { readTokenCount } from "../token-count.ts";
import { UsageNotes } from "../usage-notes.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";
import {
  detailsOf,
  splitOutput,
  splitPrompt,
  tellsLives,
  type OutputSplit,
  type PromptSplit,
} from "./split-tokens.ts";

type UsageTrouble = "count_not_whole" | "counts_do_not_fit" | "total_alone" | "usage_no_object";

function unbelievable(code: UsageTrouble): UsageReading {
  return { kind: "unbelievable", ...sayReason(code) };
}

/**
 * Tokens of reasoning that the upstream leaves out of its completion: xAI names them, Google's
 * endpoint for this protocol shows them in its total alone. `beyond` is what the total has beyond
 * the rest; it may also be what of the prompt was read from a cache or written to one, and that is
 * no output.
 */
function reasoningApart(beyond: number, reasoning: number, input: PromptSplit): number {
  if (beyond <= 0) return 0;
  if (reasoning > 0) return beyond === reasoning ? reasoning : 0;
  const read = input.cachedInputTokens;
  const written = input.cacheWrite5mTokens + input.cacheWrite1hTokens;
  return [read, written, read + written].includes(beyond) ? 0 : beyond;
}

/**
 * The two totals; undefined where one is neither given nor follows from the other and
 * `total_tokens`.
 */
interface Totals {
  readonly prompt: number | undefined;
  readonly generated: number | undefined;
  readonly total: number;
}

/**
 * Null where a total is no count of tokens. A bad `total_tokens` beside good ones is left out: it
 * only shows what they leave out.
 */
function readTotals(raw: Record<string, unknown>, notes: UsageNotes): Totals | null {
  const prompt = readTokenCount(raw["prompt_tokens"]);
  const completion = readTokenCount(raw["completion_tokens"]);
  if (prompt === "bad" || completion === "bad") return null;
  const total = notes.detail(raw["total_tokens"], "total_tokens");
  return {
    prompt: prompt ?? rest(total, completion),
    generated: completion ?? rest(total, prompt),
    total,
  };
}

/** What of the total the one side leaves to the other; undefined where that cannot be said. */
function rest(total: number, side: number | undefined): number | undefined {
  return side === undefined || total < side || total === 0 ? undefined : total - side;
}

const LIVES_REPORTED = { livesReported: true } as const;

/**
 * Reads `usage` of a completion or chunk. By OpenAI's rule cached, cache-write, audio and image
 * tokens are parts of `prompt_tokens`, and reasoning, audio and image tokens of
 * `completion_tokens`. Some upstreams of this protocol leave reasoning out of `completion_tokens`;
 * their own `total_tokens` shows it, and then it is added. A part that is larger than its whole, or
 * no count, is cut to fit and noted. Negative, fractional and larger-than-safe totals are
 * unbelievable; where only one of the two is told the reading is partial. Whether a count is
 * physically possible for the request is the gateway's to judge.
 */
export function readUsage(raw: unknown): UsageReading {
  if (raw === undefined || raw === null) return ABSENT_USAGE;
  if (!isRecord(raw)) return unbelievable("usage_no_object");
  const notes = new UsageNotes();
  const totals = readTotals(raw, notes);
  if (totals === null) return unbelievable("count_not_whole");
  const { prompt, generated, total } = totals;
  // MiniMax says a total of zero with every piece of a stream.
  if (prompt === undefined && generated === undefined)
    return total === 0 ? ABSENT_USAGE : unbelievable("total_alone");
  const input = splitPrompt(prompt ?? 0, raw, notes);
  const details = detailsOf(raw["completion_tokens_details"]);
  const reasoning = notes.detail(details["reasoning_tokens"], "reasoning_tokens");
  const beyond = prompt === undefined || generated === undefined ? 0 : total - prompt - generated;
  const apart = reasoningApart(beyond, reasoning, input);
  const outputTokens = (generated ?? 0) + apart;
  if (!Number.isSafeInteger(outputTokens)) return unbelievable("counts_do_not_fit");
  const output = splitOutput(outputTokens, Math.max(reasoning, apart), details, notes);
  const usage = usageOf(input, outputTokens, output);
  if (prompt === undefined) return { kind: "partial", known: "output", usage, samplings: 1 };
  if (generated === undefined) return { kind: "partial", known: "input", usage, samplings: 1 };
  if (!notes.any && !tellsLives(raw)) return { kind: "valid", usage, samplings: 1 };
  return {
    kind: "valid",
    usage,
    samplings: 1,
    ...notes.reported,
    ...(tellsLives(raw) ? LIVES_REPORTED : {}),
  };
}

function usageOf(input: PromptSplit, outputTokens: number, output: OutputSplit): TokenUsage {
  const { audioInput, imageInput } = input;
  const { audioOutput, imageOutput } = output;
  const counts = {
    inputTokens: input.inputTokens,
    cachedInputTokens: input.cachedInputTokens,
    cacheWrite5mTokens: input.cacheWrite5mTokens,
    cacheWrite1hTokens: input.cacheWrite1hTokens,
    outputTokens,
    reasoningTokens: output.reasoningTokens,
    images: 0,
  };
  const hasMedia = audioInput + imageInput + audioOutput + imageOutput > 0;
  return hasMedia
    ? { ...counts, media: { audioInput, imageInput, audioOutput, imageOutput } }
    : counts;
}

/**
 * The `usage` of a chunk or completion, wherever it stands: in its own field, in Groq's of a
 * stream, or in a choice (Kimi). Each tells of the whole answer, so the first that says something
 * counts.
 */
export function readAnswerUsage({
  usage,
  x_groq: groq,
  choices,
}: Record<string, unknown>): UsageReading {
  const own = readUsage(usage);
  if (own !== ABSENT_USAGE) return own;
  const ofStream = isRecord(groq) ? readUsage(groq["usage"]) : ABSENT_USAGE;
  if (ofStream !== ABSENT_USAGE || !Array.isArray(choices)) return ofStream;
  for (const choice of choices as readonly unknown[]) {
    const ofChoice = isRecord(choice) ? readUsage(choice["usage"]) : ABSENT_USAGE;
    if (ofChoice !== ABSENT_USAGE) return ofChoice;
  }
  return ABSENT_USAGE;
}

/**
 * The neutral shape as an OpenAI `usage` object, for answers that the gateway itself completes.
 * What is not of every usage is told where it is.
 */
export function renderUsage(usage: TokenUsage): Record<string, unknown> {
  const {
    cachedInputTokens,
    cacheWrite5mTokens,
    cacheWrite1hTokens,
    outputTokens,
    reasoningTokens,
    media,
  } = usage;
  const prompt = promptTokensOf(usage);
  const written = cacheWrite5mTokens + cacheWrite1hTokens;
  const input =
    media === undefined ? {} : { audio_tokens: media.audioInput, image_tokens: media.imageInput };
  const output =
    media === undefined ? {} : { audio_tokens: media.audioOutput, image_tokens: media.imageOutput };
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens,
    total_tokens: prompt + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedInputTokens,
      ...(written === 0 ? {} : { cache_write_tokens: written }),
      ...input,
    },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, ...output },
  };
}

/**
 * The `usage` object of the OpenAI protocol, read into the neutral shape and written back from it.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import { promptTokensOf, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { readTokenCount } from "../token-count.ts";
import { UsageNotes } from "../usage-notes.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";
import { detailsOf, splitOutput, splitPrompt, tellsLives } from "./split-tokens.ts";

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
function reasoningApart(
  beyond: number,
  reasoning: number,
  { read, written }: { readonly read: number; readonly written: number },
): number {
  if (reasoning > 0) return beyond === reasoning ? reasoning : 0;
  return beyond > 0 && ![read, written, read + written].includes(beyond) ? beyond : 0;
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
  const { inputTokens, cachedInputTokens, cacheWrite5mTokens, cacheWrite1hTokens, ...input } =
    splitPrompt(prompt ?? 0, raw, notes);
  const details = detailsOf(raw["completion_tokens_details"]);
  const reasoning = notes.detail(details["reasoning_tokens"], "reasoning_tokens");
  const beyond = prompt === undefined || generated === undefined ? 0 : total - prompt - generated;
  const written = cacheWrite5mTokens + cacheWrite1hTokens;
  const apart = reasoningApart(beyond, reasoning, { read: cachedInputTokens, written });
  const outputTokens = (generated ?? 0) + apart;
  if (!Number.isSafeInteger(outputTokens)) return unbelievable("counts_do_not_fit");
  const { reasoningTokens, ...output } = splitOutput(
    outputTokens,
    Math.max(reasoning, apart),
    details,
    notes,
  );
  const counts = {
    inputTokens,
    cachedInputTokens,
    cacheWrite5mTokens,
    cacheWrite1hTokens,
    outputTokens,
    reasoningTokens,
    images: 0,
  };
  const hasMedia =
    input.audioInput + input.imageInput + output.audioOutput + output.imageOutput > 0;
  const usage: TokenUsage = hasMedia ? { ...counts, media: { ...input, ...output } } : counts;
  if (prompt === undefined) return { kind: "partial", known: "output", usage, samplings: 1 };
  if (generated === undefined) return { kind: "partial", known: "input", usage, samplings: 1 };
  return {
    kind: "valid",
    usage,
    samplings: 1,
    ...notes.reported,
    ...(tellsLives(raw) ? LIVES_REPORTED : {}),
  };
}

/**
 * The `usage` of a chunk or completion, wherever it stands: in its own field, in Groq's of a
 * stream, or in a choice (Kimi). Each tells of the whole answer, so the first that says something
 * counts. Undefined where none does.
 */
function answerUsage({ usage, x_groq: groq, choices }: Record<string, unknown>): unknown {
  if (saysSomething(usage)) return usage;
  const ofStream = isRecord(groq) ? groq["usage"] : undefined;
  if (saysSomething(ofStream)) return ofStream;
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices as readonly unknown[]) {
    const ofChoice = isRecord(choice) ? choice["usage"] : undefined;
    if (saysSomething(ofChoice)) return ofChoice;
  }
  return undefined;
}

function saysSomething(usage: unknown): boolean {
  return usage !== undefined && readUsage(usage) !== ABSENT_USAGE;
}

export function readAnswerUsage(data: Record<string, unknown>): UsageReading {
  return readUsage(answerUsage(data));
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

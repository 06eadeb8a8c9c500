/** The `usage` object of the Messages protocol, read into the neutral shape and written back from it. */
import { TOKEN_USAGE_COUNTS, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { readTokenCount } from "../token-count.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";

/** The counts of one usage object, or of one of its iterations; undefined where not given. */
interface Counts {
  readonly input: number | undefined;
  readonly cached: number | undefined;
  /** Written to any cache. */
  readonly written: number | undefined;
  readonly written5m: number | undefined;
  readonly written1h: number | undefined;
  readonly output: number | undefined;
  readonly thinking: number | undefined;
}

const NOTHING: Record<string, unknown> = {};

/** Null where a count is none. */
function readCounts(raw: Record<string, unknown>): Counts | null {
  const creation = isRecord(raw["cache_creation"]) ? raw["cache_creation"] : NOTHING;
  const details = isRecord(raw["output_tokens_details"]) ? raw["output_tokens_details"] : NOTHING;
  const input = readTokenCount(raw["input_tokens"]);
  const cached = readTokenCount(raw["cache_read_input_tokens"]);
  const written = readTokenCount(raw["cache_creation_input_tokens"]);
  const written5m = readTokenCount(creation["ephemeral_5m_input_tokens"]);
  const written1h = readTokenCount(creation["ephemeral_1h_input_tokens"]);
  const output = readTokenCount(raw["output_tokens"]);
  const thinking = readTokenCount(details["thinking_tokens"]);
  if (input === "bad" || cached === "bad" || written === "bad" || written5m === "bad" || written1h === "bad") return null;
  if (output === "bad" || thinking === "bad") return null;
  return { input, cached, written, written5m, written1h, output, thinking };
}

/**
 * The counts as usage. What was written is told by the life of the cache: the split is believed as far as it fits into the total, which
 * later events of a stream raise without repeating the split. What it does not name counts as five-minute writes, and so does all where it
 * names too much.
 */
function usageOf({ input = 0, cached = 0, written, written5m = 0, written1h = 0, output = 0, thinking = 0 }: Counts): TokenUsage {
  const total = written ?? written5m + written1h;
  const cacheWrite1hTokens = written5m + written1h > total ? 0 : written1h;
  return {
    inputTokens: input,
    cachedInputTokens: cached,
    cacheWrite5mTokens: total - cacheWrite1hTokens,
    cacheWrite1hTokens,
    outputTokens: output,
    reasoningTokens: thinking,
    images: 0,
  };
}

/** With the compactions of the context that the upstream made on the way: billed like any other tokens, and not in the totals. */
function withCompactions(said: TokenUsage, iterations: unknown): TokenUsage | null {
  if (!Array.isArray(iterations)) return said;
  let usage = said;
  for (const iteration of iterations) {
    if (!isRecord(iteration) || iteration["type"] !== "compaction") continue;
    const counts = readCounts(iteration);
    if (counts === null) return null;
    usage = sum(usage, usageOf(counts));
  }
  return usage;
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    cacheWrite5mTokens: one.cacheWrite5mTokens + other.cacheWrite5mTokens,
    cacheWrite1hTokens: one.cacheWrite1hTokens + other.cacheWrite1hTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    images: one.images + other.images,
  };
}

/** More runs of the model than this are no answer to one request. */
const MOST_SAMPLINGS = 100;

/** How often the model ran: each compaction, and each tool that the upstream itself used, makes it run again over the whole context. */
function samplingsOf(raw: Record<string, unknown>): number {
  const { iterations, server_tool_use: tools } = raw;
  let used = 0;
  if (isRecord(tools)) {
    for (const count of Object.values(tools).map(readTokenCount)) if (isPositive(count)) used += count;
  }
  const runs = Array.isArray(iterations) ? iterations.length : 1;
  return Math.min(Math.max(1, runs, 1 + used), MOST_SAMPLINGS);
}

/** Whether every count fits into a number: sums of compactions may not. */
function fits(usage: TokenUsage): boolean {
  for (const count of TOKEN_USAGE_COUNTS) if (!Number.isSafeInteger(usage[count])) return false;
  return true;
}

function unbelievable(reason: string): UsageReading {
  return { kind: "unbelievable", reason };
}

/**
 * Reads `usage` of a whole message, or of a stream as far as it has come (`mergeUsage`). By Anthropic's rule the cached tokens come on
 * top of `input_tokens`, and thinking tokens are a part of `output_tokens`. Where only one side was said, the reading is partial.
 * Negative, fractional and larger-than-safe counts are unbelievable, as is more thinking than output. Whether a count is physically
 * possible for the request is the gateway's to judge.
 */
export function readMessagesUsage(raw: unknown): UsageReading {
  if (raw === undefined || raw === null) return ABSENT_USAGE;
  if (!isRecord(raw)) return unbelievable("usage is not an object");
  const counts = readCounts(raw);
  const said = counts === null ? null : usageOf(counts);
  const usage = said === null ? null : withCompactions(said, raw["iterations"]);
  if (counts === null || said === null || usage === null) return unbelievable("a token count is not a whole number from zero up");
  const { input, cached, written, written5m, written1h, output } = counts;
  const knowsInput = (input ?? cached ?? written ?? written5m ?? written1h) !== undefined;
  if (!knowsInput && output === undefined) return ABSENT_USAGE;
  if (output !== undefined && said.reasoningTokens > output) return unbelievable("more thinking tokens than output tokens");
  if (!fits(usage)) return unbelievable("the token counts do not fit");
  const samplings = samplingsOf(raw);
  if (!knowsInput) return { kind: "partial", known: "output", usage, samplings };
  return output === undefined ? { kind: "partial", known: "input", usage, samplings } : { kind: "valid", usage, samplings };
}

const PROMPT_COUNTS = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

function isPositive(count: ReturnType<typeof readTokenCount>): count is number {
  return typeof count === "number" && count > 0;
}

function knowsPrompt(usage: Record<string, unknown>): boolean {
  return PROMPT_COUNTS.some((name) => isPositive(readTokenCount(usage[name])));
}

/**
 * What a stream has said of its usage, after one more event: every count is the total so far and takes the place of the one before,
 * a null says nothing (anthropic-sdk-typescript `src/lib/MessageStream.ts`). No prompt is empty, so zeros alone do not take away what was
 * known of it: some upstreams (SGLang) tell it at the start and then nothing but zero. Neither argument is changed.
 */
export function mergeUsage(before: Record<string, unknown>, said: unknown): Record<string, unknown> {
  if (!isRecord(said)) return before;
  const merged = new Map(Object.entries(before));
  const forgets = readTokenCount(said["input_tokens"]) === 0 && knowsPrompt(before) && !knowsPrompt(said);
  for (const [name, value] of Object.entries(said)) {
    if (forgets && readTokenCount(value) === 0 && PROMPT_COUNTS.includes(name)) continue;
    if (value !== null || !merged.has(name)) merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/** The neutral shape as a Messages `usage` object, for answers that the gateway itself writes or completes. */
export function renderMessagesUsage(usage: TokenUsage): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: usage.cacheWrite5mTokens + usage.cacheWrite1hTokens,
    cache_read_input_tokens: usage.cachedInputTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite5mTokens,
      ephemeral_1h_input_tokens: usage.cacheWrite1hTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: usage.reasoningTokens === 0 ? null : { thinking_tokens: usage.reasoningTokens },
    server_tool_use: null,
  };
}

/**
 * The `usage` object of the Messages protocol, read into the neutral shape and written back from
 * it.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import { TOKEN_USAGE_COUNTS, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { readTokenCount } from "../token-count.ts";
import { UsageNotes } from "../usage-notes.ts";
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
  readonly thinking: number;
}

const NOTHING: Record<string, unknown> = {};

/**
 * Null where a total is no count. How long of it lives what was written, and what of the output was
 * thought, are details of them.
 */
function readCounts(raw: Record<string, unknown>, notes: UsageNotes): Counts | null {
  const creation = isRecord(raw["cache_creation"]) ? raw["cache_creation"] : NOTHING;
  const details = isRecord(raw["output_tokens_details"]) ? raw["output_tokens_details"] : NOTHING;
  const input = readTokenCount(raw["input_tokens"]);
  const cached = readTokenCount(raw["cache_read_input_tokens"]);
  const written = readTokenCount(raw["cache_creation_input_tokens"]);
  const output = readTokenCount(raw["output_tokens"]);
  if (input === "bad" || cached === "bad" || written === "bad" || output === "bad") return null;
  const split = "ephemeral_5m_input_tokens" in creation || "ephemeral_1h_input_tokens" in creation;
  return {
    input,
    cached,
    written,
    written5m: split
      ? notes.detail(creation["ephemeral_5m_input_tokens"], "ephemeral_5m_input_tokens")
      : undefined,
    written1h: split
      ? notes.detail(creation["ephemeral_1h_input_tokens"], "ephemeral_1h_input_tokens")
      : undefined,
    output,
    thinking: notes.detail(details["thinking_tokens"], "thinking_tokens"),
  };
}

/**
 * The counts as usage. What was written is told by the life of the cache: the split is believed as
 * far as it fits into the total, which later events of a stream raise without repeating the split.
 * What it does not name counts as five-minute writes.
 */
function usageOf(
  { input = 0, cached = 0, written, written5m = 0, written1h = 0, output, thinking }: Counts,
  notes: UsageNotes,
): TokenUsage {
  const total = written ?? written5m + written1h;
  const cacheWrite1hTokens = notes.within(written1h, total, "hour-long");
  return {
    inputTokens: input,
    cachedInputTokens: cached,
    cacheWrite5mTokens: total - cacheWrite1hTokens,
    cacheWrite1hTokens,
    outputTokens: output ?? 0,
    reasoningTokens: output === undefined ? 0 : notes.within(thinking, output, "thinking"),
    images: 0,
  };
}

/**
 * With the compactions of the context that the upstream made on the way: billed like any other
 * tokens, and not in the totals.
 */
function withCompactions(reported: TokenUsage, iterations: unknown, notes: UsageNotes): TokenUsage {
  if (!Array.isArray(iterations)) return reported;
  let usage = reported;
  for (const iteration of iterations) {
    if (!isRecord(iteration) || iteration["type"] !== "compaction") continue;
    const counts = readCounts(iteration, notes);
    if (counts === null) notes.add("a compaction has no count of tokens");
    else usage = sum(usage, usageOf(counts, notes));
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

/**
 * How often the model ran: each compaction, and each tool that the upstream itself used, makes it
 * run again over the whole context.
 */
function samplingsOf(raw: Record<string, unknown>): number {
  const { iterations, server_tool_use: tools } = raw;
  let used = 0;
  if (isRecord(tools)) {
    for (const count of Object.values(tools).map(readTokenCount))
      if (isPositive(count)) used += count;
  }
  const runs = Array.isArray(iterations) ? iterations.length : 1;
  return Math.min(Math.max(1, runs, 1 + used), MOST_SAMPLINGS);
}

/** Whether every count fits into a number: sums of compactions may not. */
function fits(usage: TokenUsage): boolean {
  for (const count of TOKEN_USAGE_COUNTS) if (!Number.isSafeInteger(usage[count])) return false;
  return true;
}

function unbelievable(
  code: "count_not_whole" | "counts_do_not_fit" | "usage_no_object",
): UsageReading {
  return { kind: "unbelievable", ...sayReason(code) };
}

/**
 * Reads `usage` of a whole message, or of a stream as far as it has come (`mergeUsage`). By
 * Anthropic's rule the cached tokens come on top of `input_tokens`, and thinking tokens are a part
 * of `output_tokens`. Where only one side was said, the reading is partial. A detail that is larger
 * than its total, or no count, is cut to fit and noted; negative, fractional and larger-than-safe
 * totals are unbelievable. Whether a count is physically possible for the request is the gateway's
 * to judge.
 */
export function readMessagesUsage(raw: unknown): UsageReading {
  if (raw === undefined || raw === null) return ABSENT_USAGE;
  if (!isRecord(raw)) return unbelievable("usage_no_object");
  const notes = new UsageNotes();
  const counts = readCounts(raw, notes);
  if (counts === null) return unbelievable("count_not_whole");
  const usage = withCompactions(usageOf(counts, notes), raw["iterations"], notes);
  const { input, cached, written, written5m, written1h, output } = counts;
  const knowsInput = (input ?? cached ?? written ?? written5m ?? written1h) !== undefined;
  if (!knowsInput && output === undefined) return ABSENT_USAGE;
  if (!fits(usage)) return unbelievable("counts_do_not_fit");
  const samplings = samplingsOf(raw);
  if (!knowsInput) return { kind: "partial", known: "output", usage, samplings };
  if (output === undefined) return { kind: "partial", known: "input", usage, samplings };
  return { kind: "valid", usage, samplings, ...notes.reported };
}

const PROMPT_COUNTS = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
/** With what splits them, which is zero where they are. */
const PROMPT_FIGURE = [...PROMPT_COUNTS, "cache_creation"];
const OUTPUT_FIGURE = ["output_tokens", "output_tokens_details"];

function isPositive(count: ReturnType<typeof readTokenCount>): count is number {
  return typeof count === "number" && count > 0;
}

function knowsPrompt(usage: Record<string, unknown>): boolean {
  return PROMPT_COUNTS.some((name) => isPositive(readTokenCount(usage[name])));
}

/**
 * What a stream has said of its usage, after one more event: every count is the total so far and
 * takes the place of the one before, a null says nothing (anthropic-sdk-typescript
 * `src/lib/MessageStream.ts`). A zero takes no stated figure away: some upstreams (SGLang) tell the
 * prompt at the start and then nothing but zero, and what was generated was generated. Of the
 * prompt all counts are one figure: told anew, a part of it may be zero. `placeholder`: the output
 * that was told before is none. Neither record is changed.
 */
export function mergeUsage(
  before: Record<string, unknown>,
  reported: unknown,
  placeholder = false,
): Record<string, unknown> {
  if (!isRecord(reported)) return before;
  const merged = new Map(Object.entries(before));
  const forgetsPrompt =
    readTokenCount(reported["input_tokens"]) === 0 && knowsPrompt(before) && !knowsPrompt(reported);
  const forgetsOutput =
    !placeholder &&
    readTokenCount(reported["output_tokens"]) === 0 &&
    isPositive(readTokenCount(before["output_tokens"]));
  for (const [name, value] of Object.entries(reported)) {
    const forgotten =
      (forgetsPrompt && PROMPT_FIGURE.includes(name)) ||
      (forgetsOutput && OUTPUT_FIGURE.includes(name));
    if (!merged.has(name) || (value !== null && !forgotten)) merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

/**
 * The neutral shape as a Messages `usage` object, for answers that the gateway itself writes or
 * completes.
 */
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
    output_tokens_details:
      usage.reasoningTokens === 0 ? null : { thinking_tokens: usage.reasoningTokens },
    server_tool_use: null,
  };
}

/**
 * The usage figures a reply reports: true ones by the tokenizer, or false ones where a directive
 * asks for them.
 */
import type { Answer } from "./compose-answer.ts";
import type { Conversation } from "./conversation.ts";
import { countPrompt } from "./count-tokens.ts";
import type { Directives } from "./parse-directives.ts";

/** Mostly numbers; a directive can put anything on the wire. */
type Figure = number | string | RawJson;
interface RawJson {
  readonly rawJSON: string;
}
/**
 * TypeScript's library does not know `JSON.rawJSON` yet: text that JSON.stringify writes as it is.
 */
declare const JSON: { rawJSON(text: string): RawJson };

export interface Figures {
  /** The whole prompt, cached tokens included. */
  readonly prompt: Figure;
  /** Of the prompt: read from a cache. */
  readonly cached: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** What a protocol that counts cached tokens apart calls its input. */
  readonly uncached: Figure;
  readonly completion: Figure;
  readonly reasoning: number;
  readonly total: Figure;
  /** Which event of an anthropic stream carries it. */
  readonly placement: "both" | "start" | "delta";
}

const HUGE = 5_000_000_000;

/** Null: report no usage at all. */
export function reportUsage(
  conversation: Conversation,
  answers: readonly Answer[],
  directives: Directives,
): Figures | null {
  const prompt = countPrompt(conversation);
  const completion = answers.reduce((sum, answer) => sum + answer.outputTokens, 0);
  const reasoning = answers.reduce((sum, answer) => sum + answer.reasoningTokens, 0);
  const { cacheWrite5m, cacheWrite1h, usage } = directives;
  const cached = usage?.kind === "exact" ? usage.cached : directives.cached;
  const figures = (promptTokens: number, completionTokens: number): Figures => ({
    prompt: promptTokens,
    cached,
    cacheWrite5m,
    cacheWrite1h,
    uncached: promptTokens - cached - cacheWrite5m - cacheWrite1h,
    completion: completionTokens,
    reasoning: usage?.kind === "exact" ? usage.reasoning : reasoning,
    total: promptTokens + completionTokens,
    placement: usage?.kind === "start" || usage?.kind === "delta" ? usage.kind : "both",
  });
  const truth = figures(prompt, completion);
  switch (usage?.kind) {
    case "none":
      return null;
    case "zero":
      return {
        ...figures(0, 0),
        cached: 0,
        cacheWrite5m: 0,
        cacheWrite1h: 0,
        uncached: 0,
        reasoning: 0,
      };
    case "negative":
      return { ...truth, completion: -5, total: prompt - 5 };
    case "fraction":
      return { ...truth, completion: completion + 0.5, total: prompt + completion + 0.5 };
    case "huge":
      return figures(HUGE, HUGE);
    case "overflow":
      return { ...truth, completion: JSON.rawJSON("1e309"), total: JSON.rawJSON("1e309") };
    case "text":
      return { ...truth, completion: String(completion), total: String(prompt + completion) };
    case "exact":
      return figures(usage.prompt, usage.completion);
    default:
      return truth;
  }
}

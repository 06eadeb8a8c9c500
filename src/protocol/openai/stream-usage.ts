/**
 * What the stream of a Chat Completions upstream has said of its usage so far, out of statements
 * that may repeat, forget or add up.
 */
import type { MediaTokens, TokenUsage } from "../../kernel/token-usage.ts";
import { NO_USAGE, promptTokensOf } from "../../kernel/token-usage.ts";
import { ABSENT_USAGE, type UsageReading } from "../usage-reading.ts";
import type { ChatChunk } from "./read-chunk.ts";
import { OwnTokens } from "./own-tokens.ts";

type ReportedReading = Extract<UsageReading, { kind: "valid" | "partial" }>;

const NO_MEDIA: MediaTokens = { audioInput: 0, imageInput: 0, audioOutput: 0, imageOutput: 0 };
const SUMMED_UP = "each piece of the stream told its own tokens alone: they are added up";

/** The prompt of the one and the output of the other. */
function joined(prompt: TokenUsage, output: TokenUsage): TokenUsage {
  const { outputTokens, reasoningTokens } = output;
  const { media: _, ...counts } = { ...prompt, outputTokens, reasoningTokens };
  if (prompt.media === undefined && output.media === undefined) return counts;
  const { audioInput, imageInput } = prompt.media ?? NO_MEDIA;
  const { audioOutput, imageOutput } = output.media ?? NO_MEDIA;
  return { ...counts, media: { audioInput, imageInput, audioOutput, imageOutput } };
}

/** Nothing of the prompt is told apart. */
function isPlain(usage: TokenUsage): boolean {
  return usage.inputTokens === promptTokensOf(usage);
}

/**
 * The prompt as it was told before, where the later word is zero, or the same without the kinds
 * that it was told in.
 */
function promptAfter(before: TokenUsage | null, stated: TokenUsage): TokenUsage {
  if (before === null) return stated;
  const prompt = promptTokensOf(stated);
  return prompt === 0 || (prompt === promptTokensOf(before) && isPlain(stated)) ? before : stated;
}

/**
 * Statements are running totals, as vLLM's, xAI's and Perplexity's are: a later one takes the place
 * of the one before. A zero takes no stated figure away, as no prompt is empty and what was
 * generated was generated; where more came since, the output is not known. Upstreams that tell with
 * each piece its own tokens alone are known by `own-tokens.ts`, and added up.
 */
export class StreamUsage {
  #prompt: TokenUsage | null = null;
  #output: TokenUsage | null = null;
  /** Something was generated since the output was told. */
  #outdated = false;
  readonly #own = new OwnTokens();

  /**
   * After one more chunk, in which `chunk.usage` is what it says by itself. Absent where it says
   * nothing.
   */
  after(chunk: ChatChunk): UsageReading {
    const { usage: stated } = chunk;
    if (stated === ABSENT_USAGE) {
      if (chunk.hasContent) this.#outdated = true;
      if (chunk.hasContent) this.#own.silent();
      return stated;
    }
    return stated.kind === "valid" || stated.kind === "partial"
      ? this.#merged(chunk, stated)
      : stated;
  }

  #merged({ text, hasContent, choices }: ChatChunk, stated: ReportedReading): UsageReading {
    if (stated.kind === "valid" || stated.known === "input")
      this.#prompt = promptAfter(this.#prompt, stated.usage);
    const { outputTokens } = stated.usage;
    const tells = stated.kind === "valid" || stated.known === "output";
    if (tells)
      this.#own.addReported(outputTokens, text, choices.length > 1 || (choices[0]?.index ?? 0) > 0);
    if (tells && (outputTokens > 0 || (this.#output?.outputTokens ?? 0) === 0)) {
      this.#output = stated.usage;
      this.#outdated = false;
    } else if (hasContent) this.#outdated = true;
    return this.#reading(stated);
  }

  #reading(stated: ReportedReading): UsageReading {
    const prompt = this.#prompt;
    const output = this.#outdated ? null : this.#output;
    const { samplings } = stated;
    if (prompt === null)
      return output === null
        ? stated
        : { kind: "partial", known: "output", usage: output, samplings };
    if (output === null)
      return { kind: "partial", known: "input", usage: joined(prompt, NO_USAGE), samplings };
    const note = stated.kind === "valid" && stated.note !== undefined ? { note: stated.note } : {};
    const { sum } = this.#own;
    if (sum === null) return { kind: "valid", usage: joined(prompt, output), samplings, ...note };
    return {
      kind: "valid",
      usage: joined(prompt, { ...output, outputTokens: sum }),
      samplings,
      note: SUMMED_UP,
    };
  }
}

/** What a stream has said so far: enough to bill it, to end it properly at any point, and to count it where usage never comes. */
import type { ChatChunk } from "./read-chunk.ts";
import type { UsageReading } from "./read-usage.ts";

export interface StreamState {
  add(chunk: ChatChunk): void;
  /** Of the first chunk that carried them; null before. */
  readonly id: string | null;
  readonly created: number | null;
  readonly model: string | null;
  readonly sawContent: boolean;
  /** Choices that were seen and carry no finish reason yet, ascending. */
  readonly openChoices: readonly number[];
  readonly finishReasons: ReadonlyMap<number, string>;
  /** Every choice that was seen has finished, and there was at least one. */
  readonly finished: boolean;
  /** The last usage that was not absent: it overwrites, never adds (usage is cumulative). */
  readonly usage: UsageReading;
  /** Upper estimate of all generated text so far (estimate-tokens.ts); only grows. */
  readonly estimatedOutputTokens: number;
  /** All generated text, choice after choice, for the exact count. */
  text(): string;
}

export function createStreamState(): StreamState {
  return {
    add: () => undefined,
    id: null,
    created: null,
    model: null,
    sawContent: false,
    openChoices: [],
    finishReasons: new Map(),
    finished: false,
    usage: { kind: "absent" },
    estimatedOutputTokens: 0,
    text: () => "",
  };
}

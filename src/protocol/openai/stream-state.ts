/**
 * What a stream has said so far: enough to end it properly at any point and to know whether it is
 * complete.
 */
import type { ChatChunk } from "./read-chunk.ts";

export interface StreamState {
  add(chunk: ChatChunk): void;
  /** Of the first chunk that carried them; null before. */
  readonly id: string | null;
  readonly created: number | null;
  readonly model: string | null;
  /** Choices that were seen and carry no finish reason yet, ascending. */
  readonly openChoices: readonly number[];
  readonly finishReasons: ReadonlyMap<number, string>;
  /** Every choice that was seen has finished, and there was at least one. */
  readonly finished: boolean;
}

export function createStreamState(): StreamState {
  return new State();
}

const NONE: ReadonlyMap<number, string> = new Map();

class State implements StreamState {
  id: string | null = null;
  created: number | null = null;
  model: string | null = null;
  /**
   * The open choice that was seen last; -1 for none. Most chunks go on with it, and most streams
   * have no other.
   */
  #current = -1;
  #otherOpen: Set<number> | null = null;
  #finishReasons: Map<number, string> | null = null;

  add({ data, choices }: ChatChunk): void {
    if (this.id === null && typeof data["id"] === "string" && data["id"] !== "")
      this.id = data["id"];
    if (this.created === null && typeof data["created"] === "number")
      this.created = data["created"];
    if (this.model === null && typeof data["model"] === "string" && data["model"] !== "")
      this.model = data["model"];
    for (const { index, finishReason } of choices) {
      if (finishReason === null && index === this.#current) continue;
      this.#note(index, finishReason);
    }
  }

  #note(index: number, finishReason: string | null): void {
    if (finishReason === null) {
      if (this.#finishReasons?.has(index) === true) return;
      this.#otherOpen?.delete(index);
      if (this.#current >= 0) (this.#otherOpen ??= new Set()).add(this.#current);
      this.#current = index;
      return;
    }
    (this.#finishReasons ??= new Map()).set(index, finishReason);
    this.#otherOpen?.delete(index);
    if (index === this.#current) this.#current = -1;
  }

  get openChoices(): number[] {
    const open = [...(this.#otherOpen ?? [])];
    if (this.#current >= 0) open.push(this.#current);
    return open.toSorted((a, b) => a - b);
  }

  get finishReasons(): ReadonlyMap<number, string> {
    return this.#finishReasons ?? NONE;
  }

  get finished(): boolean {
    return (
      this.#finishReasons !== null &&
      this.#current < 0 &&
      (this.#otherOpen === null || this.#otherOpen.size === 0)
    );
  }
}

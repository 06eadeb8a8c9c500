/** What a stream has said so far: enough to end it properly at any point and to know whether it is complete. */
import type { UsageReading } from "../usage-reading.ts";
import type { ChatChunk } from "./read-chunk.ts";

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
  /** The last usage that was not absent: it overwrites, never adds (usage is cumulative); an explicit zero counts as said. */
  readonly usage: UsageReading;
}

export function createStreamState(): StreamState {
  const open = new Set<number>();
  const finishReasons = new Map<number, string>();
  let id: string | null = null;
  let created: number | null = null;
  let model: string | null = null;
  let sawContent = false;
  let usage: UsageReading = { kind: "absent" };

  return {
    add(chunk) {
      const { data } = chunk;
      if (id === null && typeof data["id"] === "string" && data["id"] !== "") id = data["id"];
      if (created === null && typeof data["created"] === "number") created = data["created"];
      if (model === null && typeof data["model"] === "string" && data["model"] !== "") model = data["model"];
      sawContent ||= chunk.hasContent;
      if (chunk.usage.kind !== "absent") usage = chunk.usage;
      for (const { index, finishReason } of chunk.choices) {
        if (finishReason !== null) {
          finishReasons.set(index, finishReason);
          open.delete(index);
        } else if (!finishReasons.has(index)) {
          open.add(index);
        }
      }
    },
    get id() {
      return id;
    },
    get created() {
      return created;
    },
    get model() {
      return model;
    },
    get sawContent() {
      return sawContent;
    },
    get openChoices() {
      return [...open].toSorted((a, b) => a - b);
    },
    finishReasons,
    get finished() {
      return open.size === 0 && finishReasons.size > 0;
    },
    get usage() {
      return usage;
    },
  };
}

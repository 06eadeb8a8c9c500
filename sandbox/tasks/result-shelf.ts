/**
 * The addresses under which results are served for a while: what is there is made again if it was
 * let go meanwhile.
 */
import { randomBytes } from "node:crypto";
import type { Task } from "./task.ts";
import type { OutputSpec } from "../media/output-spec.ts";

export interface ShelvedResult {
  readonly spec: OutputSpec;
  readonly task: Task;
  readonly expiresAt: number;
  /** How often it was asked for. */
  asked: number;
}

export interface ResultShelf {
  /** The URL, which no stranger can guess. */
  put(task: Task, spec: OutputSpec): string;
  find(name: string): ShelvedResult | null;
}

export const RESULT_PATH = "/sandbox/results/";

export function createResultShelf(options: {
  readonly now: () => number;
  readonly ttlMs: number;
  readonly maxResults: number;
}): ResultShelf {
  const shelf = new Map<string, ShelvedResult>();
  return {
    put(task, spec) {
      const name = `${randomBytes(16).toString("hex")}.${spec.kind === "video" ? "mp4" : spec.format === "png" ? "png" : "jpg"}`;
      shelf.set(name, {
        spec,
        task,
        expiresAt: options.now() + (task.directives.resultTtlMs ?? options.ttlMs),
        asked: 0,
      });
      for (const [oldest, { expiresAt }] of shelf) {
        // An expired one stays a while, so that it can say so.
        if (shelf.size <= options.maxResults && expiresAt + options.ttlMs > options.now()) break;
        shelf.delete(oldest);
      }
      return `${task.origin}${RESULT_PATH}${name}`;
    },
    find: (name) => shelf.get(name) ?? null,
  };
}

/**
 * Puts the media side of the sandbox together: the three protocols, the results, and what tests
 * look at.
 */
import type { Endpoint } from "./endpoint.ts";
import { falEndpoints } from "./fal/fal-endpoints.ts";
import { kieEndpoints } from "./kie/kie-endpoints.ts";
import { createMediaStudio } from "./media/media-studio.ts";
import { createResultShelf } from "./tasks/result-shelf.ts";
import { serveResult } from "./tasks/serve-result.ts";
import { openAiMediaEndpoints } from "./openai-media/endpoints.ts";
import { replicateEndpoints } from "./replicate/replicate-endpoints.ts";
import { inspectTasks } from "./tasks/inspect-tasks.ts";
import { createTaskBoard } from "./tasks/task-board.ts";
import { createTaskDesk } from "./tasks/task-desk.ts";
import { openTaskJournal } from "./tasks/task-journal.ts";

export interface MediaOptions {
  /** How long a task waits and runs when nothing else is asked; 300 and 700 ms. */
  readonly queueMs?: number;
  readonly runMs?: number;
  /** How long a result is served; an hour. */
  readonly resultTtlMs?: number;
  /** How many tasks are remembered, and how long; 20,000 and two hours. */
  readonly maxTasks?: number;
  readonly keepTasksMs?: number;
  /** Bytes of finished files that are kept; 512 MB. */
  readonly keepBytes?: number;
  /** The file by which tasks outlive the process; absent: they do not. */
  readonly journalPath?: string;
  /** Of kie's webhooks; absent: the creator's API key. */
  readonly kieWebhookKey?: string;
  /** Of Replicate's, `whsec_…`; absent: `GET /v1/webhooks/default/secret` tells one per key. */
  readonly replicateSecret?: string;
  /** The program that makes media; tests name another. */
  readonly studioProgram?: string;
  /** Between two pieces of a sound, or two events of a transcript; 15 ms. */
  readonly pieceDelayMs?: number;
}

export interface MediaSide {
  readonly endpoints: readonly Endpoint[];
  /** Ends what runs and removes every file. */
  close(): Promise<void>;
}

export function createMediaSide(options: MediaOptions): MediaSide {
  const {
    queueMs = 300,
    runMs = 700,
    resultTtlMs = 3_600_000,
    maxTasks = 20_000,
    keepTasksMs = 7_200_000,
    keepBytes = 512 * 1024 * 1024,
    pieceDelayMs = 15,
  } = options;
  const { journalPath, kieWebhookKey, replicateSecret, studioProgram } = options;
  const now = (): number => Date.now();
  const closing = new AbortController();
  const board = createTaskBoard({ now, maxTasks, keepMs: keepTasksMs });
  const journal =
    journalPath === undefined
      ? null
      : openTaskJournal({ path: journalPath, now, maxTasks, keepMs: keepTasksMs });
  const studio = createMediaStudio({
    keepBytes,
    ...(studioProgram === undefined ? {} : { program: studioProgram }),
  });
  const shelf = createResultShelf({ now, ttlMs: resultTtlMs, maxResults: 3 * maxTasks });
  const desk = createTaskDesk(board, {
    studio,
    shelf,
    now,
    queueMs,
    runMs,
    journal,
    closing: closing.signal,
  });
  const serve: Endpoint["serve"] = (req, res, path) =>
    serveResult(req, res, path, { shelf, studio, now });
  const inspect: Endpoint["serve"] = (req, res) =>
    inspectTasks(req, res, board, () => {
      board.clear();
      journal?.clear();
    });
  return {
    endpoints: [
      ...kieEndpoints({
        desk,
        now,
        runMs,
        ...(kieWebhookKey === undefined ? {} : { webhookKey: kieWebhookKey }),
      }),
      ...falEndpoints(desk),
      ...openAiMediaEndpoints({ studio, pauseMs: pieceDelayMs }),
      ...replicateEndpoints(desk, board, replicateSecret),
      { method: "GET", path: /^\/sandbox\/results\/[^/]+$/, deny: null, serve },
      { method: "HEAD", path: /^\/sandbox\/results\/[^/]+$/, deny: null, serve },
      { method: "GET", path: /^\/sandbox\/tasks\/?$/, deny: null, serve: inspect },
      { method: "DELETE", path: /^\/sandbox\/tasks\/?$/, deny: null, serve: inspect },
    ],
    async close() {
      closing.abort();
      board.clear();
      await studio.close();
    },
  };
}

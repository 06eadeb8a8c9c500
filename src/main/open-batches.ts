/**
 * Composition of batches: what callers may do with them and with their files, and, where this
 * process works, the worker behind them, which runs lines through a chat service of its own.
 */
import { getHeapStatistics } from "node:v8";
import type { LeasedLine } from "../batches/batch-record.ts";
import { createAccountBatches } from "../serving/batches/account-batches.ts";
import { createBatchFiles } from "../serving/batches/batch-files.ts";
import { BATCH_PACE } from "../serving/batches/batch-limits.ts";
import { createBatchMoney } from "../serving/batches/batch-money.ts";
import { createBatchWorker, type BatchWorker } from "../serving/batches/batch-worker.ts";
import { createBatch } from "../serving/batches/create-batch.ts";
import { createMessageBatch } from "../serving/batches/create-message-batch.ts";
import { createValidationTurns } from "../serving/batches/validation-turns.ts";
import { createUploadPlaces } from "../serving/files/upload-places.ts";
import { countBy } from "../http/count-by.ts";
import type { BatchRoutesDeps } from "../http/routes/batch-routes.ts";
import { repeat } from "../process/repeat.ts";
import { countTexts } from "../protocol/count-tokens.ts";
import { createAnthropicBatches } from "../upstreams/batches/anthropic-batches.ts";
import { createOpenAiBatches } from "../upstreams/batches/openai-batches.ts";
import { runLine, type LineServices } from "../serving/batches/run-line.ts";
import { openLineServices } from "./line-services.ts";
import type { BatchesParts } from "./batches-parts.ts";

export interface Batches {
  /** For a process that takes requests. */
  readonly routes: BatchRoutesDeps;
  /** Begins to work, behind what this says is more pressing. */
  start(pressing: () => boolean): void;
  drain(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}

const TICK_MS = 250;

export function openBatches(parts: BatchesParts): Batches {
  const { db, catalogue, files, metrics, onError } = parts;
  const { storage, intake, resultIntake } = files;
  let worker: BatchWorker | null = null;
  let pressing = (): boolean => false;
  const wake = (): void => worker?.wake();
  const { ownerId, idempotency } = parts;
  const asking = { db, storage, catalogue, countTexts, conversations: parts.conversations };
  const turns = createValidationTurns({ hasRoom: hasHeapRoom });
  const deps = {
    ...asking,
    ownerId,
    idempotency,
    intake,
    places: createUploadPlaces(),
    wake,
    turns,
  };
  const money = createBatchMoney();
  const services = openLineServices(parts, money);
  const ticker = repeat(onError, {
    "a tick of the lines of batches failed": [TICK_MS, () => services.tick()],
  });
  if (parts.roles.has("worker")) {
    const onLine = countBy(metrics, {
      name: "batch_lines",
      help: "Lines of batches that were worked on, by what they came to.",
      label: "outcome",
    });
    const onPass = countBy(metrics, {
      name: "batch_passes",
      help: "Batches at upstreams, by what became of them.",
      label: "outcome",
    });
    const pace = parts.pace ?? BATCH_PACE;
    const openai = createOpenAiBatches(parts.outgoing);
    const anthropic = createAnthropicBatches(parts.outgoing);
    const run = (lines: LineServices, line: LeasedLine) =>
      runLine({ clock: parts.clock, storage, money, pace, servicesOf: async () => lines }, line);
    worker = createBatchWorker({
      ...asking,
      credential: (name) => parts.env[name],
      batchesOf: (protocol) =>
        protocol === "anthropic"
          ? anthropic
          : protocol === "openai" || protocol === "responses"
            ? openai
            : null,
      passLinesOf: (version, route) => services.passLinesOf(version, route, run),
      onPass,
      onPassTrouble: ({ batchId, passNo, upstream }, words) =>
        parts.log.warn({ batchId, passNo, upstream, words }, "a batch at an upstream met trouble"),
      turns,
      clock: parts.clock,
      resultIntake,
      money,
      pace,
      servicesOf: (version) => services.of(version),
      mayRun: () => !pressing(),
      cut: () => services.cut(),
      onLine,
      onError,
    });
    metrics.watch({
      name: "batch_lines_running",
      help: "Lines of batches under way.",
      read: () => worker?.active ?? 0,
    });
  }

  return {
    routes: {
      batches: createAccountBatches(deps),
      createBatch: (order) => createBatch(deps, order),
      createMessageBatch: (order) => createMessageBatch(deps, order),
      files: createBatchFiles({
        db,
        storage,
        intake,
        ownerId,
        idempotency,
        places: deps.places,
        limitBytes: parts.config.uploadLimitBytes,
        onError,
      }),
      baseUrl: parts.baseUrl,
    },
    start(is) {
      pressing = is;
      worker?.start();
    },
    drain: async (deadlineMs) => worker?.stop(deadlineMs),
    async close() {
      await worker?.stop(0);
      await ticker.stop();
    },
  };
}

/** For the lines of one more large batch. */
const VALIDATION_BYTES = 256 * 1024 * 1024;

function hasHeapRoom(): boolean {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return limit - used > VALIDATION_BYTES;
}

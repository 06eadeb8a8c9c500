/**
 * Composition of batches: what callers may do with them and with their files, and, where this
 * process works, the worker behind them, which runs lines through a chat service of its own.
 */
import { getHeapStatistics } from "node:v8";
import { judgeBatchRaises } from "../serving/batches/judge-batch-raises.ts";
import { createAccountBatches } from "../serving/batches/account-batches.ts";
import { createBatchCatalogue } from "../serving/batches/batch-catalogue.ts";
import { createBatchFiles } from "../serving/batches/batch-files.ts";
import { BATCH_PACE, type BatchPace } from "../serving/batches/batch-limits.ts";
import { createBatchMoney, type BatchMoney } from "../serving/batches/batch-money.ts";
import { createBatchWorker, type BatchWorker } from "../serving/batches/batch-worker.ts";
import { createBatch } from "../serving/batches/create-batch.ts";
import { createMessageBatch } from "../serving/batches/create-message-batch.ts";
import { createValidationTurns } from "../serving/batches/validation-turns.ts";
import { createUploadPlaces } from "../serving/files/upload-places.ts";
import { createSeal } from "../kernel/seal.ts";
import { createLoadShedder } from "../serving/admission/load-shedder.ts";
import type { RateGate } from "../serving/admission/rate-gate.ts";
import { CHAT_UPSTREAMS } from "../serving/chat/chat-upstreams.ts";
import { createReportedCaches } from "../serving/chat/reported-caches.ts";
import { createCallService, type CallService } from "../serving/calls/serve-call.ts";
import { createChatService, type ChatService } from "../serving/chat/serve-chat.ts";
import type { LineServices } from "../serving/batches/run-line.ts";
import type { Conversations } from "../serving/responses/conversation.ts";
import { createPriceHistory } from "../business/requests/price-history.ts";
import { countBy } from "../http/count-by.ts";
import { reportCall } from "../http/report-call.ts";
import { reportChat } from "../http/report-chat.ts";
import type { BatchRoutesDeps } from "../http/routes/batch-routes.ts";
import { repeat } from "../process/repeat.ts";
import { countTexts, countTokens } from "../protocol/count-tokens.ts";
import type { Files } from "./open-files.ts";
import type { Routing } from "./open-routing.ts";
import type { Parts } from "./parts.ts";

export interface BatchesParts extends Pick<
  Parts,
  | "env"
  | "roles"
  | "db"
  | "clock"
  | "log"
  | "metrics"
  | "ownerId"
  | "idempotency"
  | "outgoing"
  | "baseUrl"
  | "sessionSecret"
  | "onError"
> {
  readonly config: Pick<Parts["config"], "uploadLimitBytes">;
  readonly catalogue: Pick<Parts["catalogue"], "current">;
  readonly files: Pick<Files, "storage" | "intake" | "resultIntake">;
  readonly routing: Pick<Routing, "health" | "places">;
  readonly conversations: Conversations;
  /** For tests that cannot wait a minute for a lease. */
  readonly pace?: BatchPace;
}

export interface Batches {
  /** For a process that takes requests. */
  readonly routes: BatchRoutesDeps;
  /** Begins to work, behind what this says is more pressing. */
  start(pressing: () => boolean): void;
  drain(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}

const TICK_MS = 250;
/** Lines need no shedder: no more of them begin than may run. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;
/** What the rate limits of a key count is what its callers send one by one. */
const UNLIMITED: RateGate = { admit: () => ({ standing: null, end: () => null }) };

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
  const services = openServices(parts, money);
  const ticker = repeat(onError, {
    "a tick of the lines of batches failed": [TICK_MS, () => services.tick()],
  });
  if (parts.roles.has("worker")) {
    const onLine = countBy(metrics, {
      name: "batch_lines",
      help: "Lines of batches that were worked on, by what they came to.",
      label: "outcome",
    });
    worker = createBatchWorker({
      ...asking,
      turns,
      clock: parts.clock,
      resultIntake,
      money,
      pace: parts.pace ?? BATCH_PACE,
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

interface ServicesByVersion {
  of(priceVersion: number): Promise<LineServices | null>;
  tick(): void;
  /** Ends what is under way; nothing more is served. */
  cut(): Promise<void>;
}

/** One for each price version: what it serves is admitted at those prices. */
function openServices(parts: BatchesParts, money: BatchMoney): ServicesByVersion {
  const { env, db, clock, catalogue, routing } = parts;
  const chats = reportChat(parts);
  const calls = reportCall(parts);
  const prices = createPriceHistory(db, env);
  const services = new Map<number, { readonly chat: ChatService; readonly calls: CallService }>();
  const caches = createReportedCaches(clock);
  const each = <T>(what: (service: ChatService | CallService) => T): T[] =>
    [...services.values()].flatMap((made) => [what(made.chat), what(made.calls)]);

  return {
    async of(version) {
      const known = services.get(version);
      if (known !== undefined) return known;
      const now = catalogue.current();
      const then = now.version === version ? now : await prices.find(version);
      if (then === null || then.catalogue === null) return null;
      const shared = {
        ...parts,
        catalogue: createBatchCatalogue(catalogue, { version, catalogue: then.catalogue }),
        ledger: money.ledger,
        limits: UNLIMITED,
        health: routing.health,
        places: routing.places,
        loadShedder: createLoadShedder({ most: UNBOUNDED }),
        credential: (name: string) => env[name],
        countTexts,
        onReplayed: () => undefined,
      };
      // Lines have no log line of their own.
      const made = {
        chat: createChatService({
          ...shared,
          judgeRaises: judgeBatchRaises,
          upstreams: CHAT_UPSTREAMS,
          seal: createSeal(parts.sessionSecret),
          countTokens,
          caches,
          onSuspicion: chats.onSuspicion,
          onDone(summary) {
            chats.onDone(summary);
            chats.takeExtra(summary.run.call.requestId);
          },
        }),
        calls: createCallService({
          ...shared,
          onSuspicion: calls.onSuspicion,
          onDone(summary) {
            calls.onDone(summary);
            calls.takeExtra(summary.run.call.requestId);
          },
        }),
      };
      services.set(version, services.get(version) ?? made);
      return services.get(version) ?? made;
    },
    tick: () => each((service) => service.tick()),
    async cut() {
      await Promise.all(each((service) => service.drain(0)));
    },
  };
}

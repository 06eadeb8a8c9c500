/**
 * Batches as gateway processes work on them, on a real database, a real folder and real HTTP to a
 * scripted upstream: each worker is composed as the gateway composes it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import type { Db } from "../../src/db/database.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { PassedOn } from "../../src/batches/batch-record.ts";
import type { BatchEndpoint } from "../../src/contract/enums/batch-endpoint.ts";
import { newUuid, type Uuid } from "../../src/kernel/ids.ts";
import { openBatches, type Batches } from "../../src/main/open-batches.ts";
import { createOutgoing } from "../../src/net/outgoing.ts";
import { BATCH_PACE, type BatchPace } from "../../src/serving/batches/batch-limits.ts";
import { createIntake, type Intake } from "../../src/serving/files/intake.ts";
import { createCircuitBreakers } from "../../src/serving/routing/circuit-breakers.ts";
import { createConcurrencyLimiter } from "../../src/serving/routing/concurrency-limiter.ts";
import type { ObjectStorage } from "../../src/storage/object-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { keepResponse } from "../../src/responses/responses.store.ts";
import { BATCH_URLS } from "../../src/serving/batches/batch-urls.ts";
import { createConversations } from "../../src/serving/responses/prepare-request.ts";

/**
 * `cheap` has a price for batches, `plain` has none; `vectors`, `texts` and `judge` are calls, the
 * last of them without one. Prices stand in `scripted-answers.ts`.
 */
export function batchCatalogue(upstreamUrl: string): string {
  const head = `{ type: chat, endpoints: [chat.completions, messages, responses], contextTokens: 20000, maxOutputTokens: 1000, price: { input: "150", output: "600" }`;
  const half = `surcharges: { serviceTier: { batch: { multiply: "0.5" } } }`;
  const call = `routes: [ { upstream: up, model: m } ]`;
  const routes = `routes: [ { upstream: up, model: m, cost: { input: "10", output: "40" } } ]`;
  return `
upstreams:
  up: { protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000 }
models:
  plain: ${head}, ${routes} }
  cheap: ${head}, surcharges: { serviceTier: { batch: { multiply: "0.5" }, priority: { multiply: "2" } } }, ${routes} }
  vectors: { type: embedding, price: { input: "20" }, ${half}, ${call} }
  texts: { type: completion, contextTokens: 16000, price: { input: "100", output: "200" }, ${half}, ${call} }
  judge: { type: moderation, price: { request: "0.01" }, ${call} }
`;
}

/**
 * The same over upstreams with batches of their own: `oa` and `an` chats, `vectors` embeddings;
 * what those of a vague model take for a batch their routes do not say.
 */
function passedCatalogue(upstreamUrl: string): string {
  const price = `price: { input: "150", output: "600", cacheWrite5m: "150", cacheWrite1h: "150" }`;
  const cost = `cost: { input: "10", output: "40", cacheWrite5m: "10", cacheWrite1h: "10" }, costSurcharges: { serviceTier: { batch: { multiply: "0.5" } } }`;
  const half = `surcharges: { serviceTier: { batch: { multiply: "0.5" } } }`;
  const head = `type: chat, endpoints: [chat.completions, messages, responses], contextTokens: 20000, maxOutputTokens: 1000, ${price}, ${half}`;
  return `
upstreams:
  up: { protocol: openai, baseUrl: "${upstreamUrl}/v1", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000, batches: true }
  um: { protocol: anthropic, baseUrl: "${upstreamUrl}", apiKeyEnv: UPSTREAM_KEY, maxConcurrent: 1000, batches: true }
models:
  oa: { ${head}, routes: [ { upstream: up, model: echo-large, ${cost} } ] }
  an: { ${head}, routes: [ { upstream: um, model: echo-large, ${cost} } ] }
  vague: { ${head}, routes: [ { upstream: up, model: echo-large, cost: { input: "10", output: "40" } } ] }
  vectors: { type: embedding, price: { input: "20" }, ${half}, routes: [ { upstream: up, model: embed, cost: { input: "2" }, costSurcharges: { serviceTier: { batch: { multiply: "0.25" } } } } ] }
  vague-vectors: { type: embedding, price: { input: "20" }, ${half}, routes: [ { upstream: up, model: embed, cost: { input: "2" } } ] }
`;
}

/** Quick enough for a test, slow enough for a busy machine. */
export const TEST_PACE: BatchPace = {
  ...BATCH_PACE,
  leaseMs: 5_000,
  lookMs: 50,
  mostTries: 3,
  firstPauseMs: 20,
  longestPauseMs: 100,
  pollMs: 100,
  longestPollMs: 500,
  unknownMs: 2_000,
};

export interface BatchProcessOptions {
  readonly db: Db;
  readonly storageUrl: string;
  /** `http://host:port` of the upstream. */
  readonly upstream: string;
  readonly pace?: BatchPace;
  /** `passed`: its upstreams have batches, and are the sandbox. */
  readonly catalogue?: "plain" | "passed";
  /** Stands around what it stores results by. */
  readonly resultIntake?: (real: Intake) => Intake;
}

export interface BatchProcess {
  readonly batches: Batches;
  readonly storage: ObjectStorage;
  readonly errors: string[];
  close(): Promise<void>;
}

/** One process's share of everything; it does not work before `batches.start`. */
export async function openBatchProcess(options: BatchProcessOptions): Promise<BatchProcess> {
  const { db, upstream, pace = TEST_PACE } = options;
  const env = { UPSTREAM_KEY: "sk-operators-own-0123456789abcdef" };
  const source =
    options.catalogue === "passed" ? passedCatalogue(upstream) : batchCatalogue(upstream);
  const reading = parseCatalogue(source, env);
  if (!reading.ok) throw new Error(JSON.stringify(reading.mistakes));
  const { catalogue } = reading;
  const storage = await openStorage(options.storageUrl);
  const errors: string[] = [];
  const onError = (what: string, error: unknown): void =>
    void errors.push(`${what}: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
  const ownerId = newUuid();
  const outgoing = createOutgoing();
  const metrics = createMetrics();
  const intake = createIntake({
    db,
    storage,
    media: { probe: () => Promise.reject(new Error("these files are not looked into")) },
    ownerId,
    retentionDays: 14,
    quotaBytes: 2 ** 40,
    onError,
  });
  const batches = openBatches({
    config: { uploadLimitBytes: 200 * 1024 * 1024 },
    env,
    roles: new Set(["worker"]),
    db,
    clock: systemClock,
    log: QUIET,
    metrics,
    ownerId,
    idempotency: NO_IDEMPOTENCY,
    outgoing,
    baseUrl: () => "http://gateway.test",
    sessionSecret: SECRET,
    onError,
    catalogue: { current: () => ({ version: 1, catalogue }) },
    files: {
      storage,
      intake,
      resultIntake: options.resultIntake?.(intake) ?? intake,
    },
    conversations: createConversations({
      db,
      seal: createSeal(SECRET),
      keeper: { keep: (response) => keepResponse(db, response) },
      retentionDays: 30,
      quotaBytes: 2 ** 40,
      onKept: (_, error) => error !== null && onError("an answer could not be kept", error),
      onUnopened: ({ responseId }) => void errors.push(`${responseId} does not open`),
    }),
    routing: {
      health: createCircuitBreakers({
        clock: systemClock,
        kinds: new Set(["chat"]),
        onCircuit: () => undefined,
      }),
      places: createConcurrencyLimiter(),
    },
    pace,
  });
  return {
    batches,
    storage,
    errors,
    async close() {
      await batches.drain(1_000);
      await batches.close();
      await outgoing.close();
      await storage.close();
      metrics.close();
    },
  };
}

const SECRET = "a secret of sessions that is long enough";
const nothing = (): undefined => undefined;
const QUIET = { debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };
const never = (): Promise<never> => Promise.reject(new Error("lines have no idempotency key"));
const NO_IDEMPOTENCY = {
  begin: never,
  keep: never,
  forget: never,
  sweep: never,
  close: () => undefined,
};

export async function temporaryStorage(): Promise<{ url: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "batches-"));
  return {
    url: `file:${folder}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** How a batch is sent that has no idempotency key. */
export function sentOnce(): {
  readonly requestId: Uuid;
  readonly idempotencyKey: null;
  readonly body: Buffer;
  readonly ip: string;
  readonly passedOn: PassedOn;
} {
  return {
    requestId: newUuid(),
    idempotencyKey: null,
    body: Buffer.alloc(0),
    ip: "127.0.0.1",
    passedOn: { forward: {}, query: "" },
  };
}

/** One line of a file, as the OpenAI protocol has it. */
export function requestLine(customId: string, body: object, more: object = {}): string {
  return JSON.stringify({
    custom_id: customId,
    method: "POST",
    url: "/v1/chat/completions",
    body,
    ...more,
  });
}

/** Of the endpoint's own model, in its own words. */
export function bodyAt(endpoint: BatchEndpoint, say: string): object {
  switch (endpoint) {
    case "embeddings":
      return { model: "vectors", input: say };
    case "completions":
      return { model: "texts", prompt: say, max_tokens: 20 };
    case "moderations":
      return { model: "judge", input: say };
    case "responses":
      return { model: "cheap", input: say, max_output_tokens: 20 };
    default:
      return chatBody(say);
  }
}

export function lineAt(endpoint: BatchEndpoint, say: string): string {
  return requestLine(say, bodyAt(endpoint, say), { url: BATCH_URLS[endpoint] });
}

export function chatBody(say: string, model = "cheap"): object {
  return { model, max_tokens: 20, messages: [{ role: "user", content: say }] };
}

export interface Sender {
  readonly accountId: string;
  readonly keyId: string;
}

/** Uploads a file of these lines; its public id. */
export async function sendFile(
  { batches }: BatchProcess,
  { accountId, keyId }: Sender,
  content: string | Buffer,
): Promise<string> {
  const received = await batches.routes.files.receive({
    accountId,
    keyId,
    fileName: "requests.jsonl",
    source: Readable.from([Buffer.from(content)]),
    signal: new AbortController().signal,
  });
  const { fileId } = await received.commit(null);
  return `file-${fileId.replaceAll("-", "")}`;
}

/** The lines of a file as JSON. */
export async function readLines(
  { batches }: BatchProcess,
  accountId: string,
  fileId: string | null,
): Promise<Record<string, unknown>[]> {
  if (fileId === null) return [];
  const { files } = batches.routes;
  const file = await files.find(accountId, `file-${fileId.replaceAll("-", "")}`);
  return parseLines(await text(await files.open(file)));
}

export function parseLines(content: string): Record<string, unknown>[] {
  return content
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/**
 * The HTTP endpoint over its real use cases and a real database, on an ephemeral port; the chat
 * route alone is a stand-in.
 */
import { parseCatalogue } from "../../src/catalogue/parse-catalogue.ts";
import type { Db } from "../../src/db/database.ts";
import { listen } from "../../src/db/listen.ts";
import { createAuthenticator } from "../../src/serving/admission/authenticate.ts";
import { createIdempotency } from "../../src/serving/admission/idempotency.ts";
import { findListedModel, listModels } from "../../src/serving/models/list-models.ts";
import { readBalance } from "../../src/serving/money/read-balance.ts";
import { readKeySpend } from "../../src/serving/money/read-key-spend.ts";
import { createPriceHistory } from "../../src/business/requests/price-history.ts";
import { createTaskWatch } from "../../src/serving/tasks/watch-task.ts";
import { chatInquiries } from "../../src/http/routes/chat-inquiries.ts";
import { createClientAddress } from "../../src/http/client-address.ts";
import { createHttpServer } from "../../src/http/create-http-server.ts";
import type { HttpServerDeps } from "../../src/http/create-http-server.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import type { Metrics } from "../../src/http/metrics.ts";
import type { RawHandler } from "../../src/http/node-server.ts";
import { createRequestLog } from "../../src/http/request-log.ts";
import type { ReadinessReport } from "../../src/http/routes/service.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { newUuid } from "../../src/kernel/ids.ts";
import { createSeal } from "../../src/kernel/seal.ts";
import { createKeptResponses } from "../../src/serving/responses/kept-responses.ts";
import { findKeyByHash } from "../../src/keys/store.ts";
import type { TaskRouteDeps } from "../../src/http/task-route-deps.ts";
import { createCallbackDesk } from "../../src/serving/tasks/accept-callback.ts";
import { checkUrl } from "../../src/net/check-url.ts";
import { createOutgoing } from "../../src/net/outgoing.ts";
import { TASKS_CHANNEL } from "../../src/tasks/tasks.store.ts";
import { createTaskAdapters } from "../../src/upstreams/tasks/create-task-adapters.ts";
import { booksOf } from "./books-of.ts";
import { testDatabase } from "./database.ts";
import { memoryFiles, type MemoryFiles } from "./memory-files.ts";
import { noBatches } from "./no-batches.ts";
import "./check-api-answers.ts";

export interface EndpointAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  json<T>(): T;
}

export interface HttpEndpoint {
  readonly url: string;
  readonly port: number;
  readonly db: Db;
  readonly metrics: Metrics;
  /** What is behind it. */
  readonly useCases: HttpServerDeps["useCases"];
  readonly tasks: TaskRouteDeps;
  readonly receipts: HttpServerDeps["receipts"];
  /** What was logged: level and fields. */
  readonly lines: readonly (readonly [level: string, fields: Readonly<Record<string, unknown>>])[];
  /** What `/readyz` is told. */
  readiness: ReadinessReport;
  /** Whether the process is about to stop, as orders of tasks are told. */
  draining: boolean;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<EndpointAnswer>;
  /** A text is sent as it is, anything else as JSON. */
  post(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<EndpointAnswer>;
  close(): Promise<void>;
}

const CATALOGUE = `
families: { prefix: claude, large: { match: opus, model: sandbox-large } }
upstreams:
  up: { protocol: openai, baseUrl: "https://up.example", apiKeyEnv: KEY }
  media: { protocol: kie, baseUrl: "https://media.example", apiKeyEnv: KEY }
  other-media: { protocol: kie, baseUrl: "https://other.example", apiKeyEnv: KEY }
models:
  sandbox-large:
    { type: chat, displayName: Sandbox Large, endpoints: [chat.completions, messages], contextTokens: 200000, maxOutputTokens: 32000, price: { input: "150", output: "600" }, routes: [ { upstream: up, model: m } ] }
  vendor/model:free:
    { type: chat, endpoints: [chat.completions], contextTokens: 9000, maxOutputTokens: 900, price: { input: "1", output: "2" }, routes: [ { upstream: up, model: m } ] }
  seedance-2:
    { type: task, parameters: T9, deadlineSeconds: 60, price: { unit: second, quantity: duration, amount: { by: resolution, values: { 480p: "4", 720p: "8", 1080p: "16" } }, multiply: [ { when: { generateAudio: true }, by: "2" } ] }, routes: [ { upstream: media, model: m } ] }
  vendor/film/2:
    { type: task, parameters: T9, deadlineSeconds: 60, price: { unit: second, quantity: duration, amount: "7" }, routes: [ { upstream: media, model: m } ] }
`;

export interface EndpointOptions extends Pick<HttpServerDeps, "timeouts" | "uploadPace"> {
  /** Absent: files are kept in memory. */
  readonly files?: MemoryFiles;
}

export async function openHttpEndpoint({
  files = memoryFiles(),
  ...limits
}: EndpointOptions = {}): Promise<HttpEndpoint> {
  const database = await testDatabase();
  const { db } = database;
  const reading = parseCatalogue(CATALOGUE, { KEY: "x" });
  if (!reading.ok) throw new Error(JSON.stringify(reading.mistakes));
  const { catalogue } = reading;
  const metrics = createMetrics();
  const lines: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  const level = (name: string) => (fields: object) => void lines.push([name, { ...fields }]);
  let readiness: ReadinessReport = { ok: true, checks: { database: "ok" } };
  let draining = false;
  let url = "";
  const outgoing = createOutgoing();
  const watch = createTaskWatch();
  const listener = listen({
    url: database.url,
    channels: [TASKS_CHANNEL],
    onMessage: (_channel, taskId) => watch.heard(taskId),
    onConnected: () => watch.heardAll(),
    onError: () => undefined,
  });
  const onError = (what: string, error: unknown): void =>
    void lines.push(["error", { what, error }]);
  const live = { current: () => ({ version: 1, catalogue }) };
  const callbacks = createCallbackDesk({
    db,
    catalogue: live,
    adapters: createTaskAdapters({ outgoing, clock: systemClock }),
    onHeard: () => undefined,
    onError,
  });
  const tasks: TaskRouteDeps = {
    db,
    clock: systemClock,
    ownerId: newUuid(),
    catalogue: live,
    limits: { admit: () => ({ standing: null, end: () => null }) },
    idempotency: createIdempotency({
      db,
      isDead: async () => false,
      onError: (error) => onError("idempotency", error),
    }),
    watch,
    callbacks,
    checkUrl: (text) => checkUrl(text, { allow: [] }),
    isDraining: () => draining,
    staticUrl: () => `${url}/static`,
    onEnded: () => undefined,
    onTasksRefused: () => undefined,
    onError,
  };
  const chatRoute: RawHandler = (_request, response) => void response.end("the chat route");
  const prices = createPriceHistory(db, { KEY: "x" });
  const useCases: HttpServerDeps["useCases"] = {
    listModels: async (key) => listModels(catalogue, key, new Map()),
    findModel: async (key, id) => findListedModel(catalogue, key, id, new Map()),
    readBalance: (key) => readBalance(db, key.accountId),
    readKeySpend: (key) => readKeySpend(db, key),
    keptResponses: createKeptResponses({
      db,
      seal: createSeal("of the endpoint's own, 0123456789abcdef"),
      onUnopened: () => undefined,
    }),
    ...chatInquiries({
      db,
      catalogue: live,
      outgoing,
      env: { KEY: "x" },
      clock: systemClock,
    }),
    ...files,
  };
  const receipts = { books: booksOf(db), prices };
  const server = await createHttpServer({
    auth: createAuthenticator({ findKey: (hash) => findKeyByHash(db, hash), clock: systemClock }),
    useCases,
    receipts,
    tasks,
    batches: noBatches(db),
    rawRoutes: new Map([
      ["/v1/chat/completions", chatRoute],
      ["/v1/messages", chatRoute],
      ["/v1/responses", chatRoute],
    ]),
    readiness: async () => readiness,
    metrics,
    onRequestDone: createRequestLog({
      logger: {
        debug: level("debug"),
        info: level("info"),
        warn: level("warn"),
        error: level("error"),
      },
      metrics,
    }),
    baseUrl: () => url,
    clientAddress: createClientAddress([]),
    version: "1.2.3",
    clock: systemClock,
    ...limits,
  });
  const port = await server.listen({ host: "127.0.0.1", port: 0 });
  async function ask(path: string, init: RequestInit): Promise<EndpointAnswer> {
    const response = await fetch(`${url}${path}`, { ...init, redirect: "manual" });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: <T>() => JSON.parse(text) as T,
    };
  }
  url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    db,
    metrics,
    useCases,
    tasks,
    receipts,
    lines,
    get readiness() {
      return readiness;
    },
    set readiness(report) {
      readiness = report;
    },
    get draining() {
      return draining;
    },
    set draining(is) {
      draining = is;
    },
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    async close() {
      watch.close();
      await server.close(500);
      await callbacks.settled();
      await listener.close();
      await outgoing.close();
      metrics.close();
      await database.drop();
    },
  };
}

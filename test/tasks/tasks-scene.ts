/**
 * Tasks from end to end: gateway processes on one database and folder, the sandbox as their
 * provider, customers, and their media.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import type { Db } from "../../src/db/database.ts";
import type { TaskView } from "../../src/serving/tasks/task-view.ts";
import type { Reconciliation } from "../../src/serving/tasks/reconcile-tasks.ts";
import { formatRoubles } from "../../src/kernel/money.ts";
import { balance } from "../../src/ledger/accounts.store.ts";
import { testDatabase } from "../support/database.ts";
import { startGateway, type Gateway, type GatewayOptions } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";
import { createTollgateCommand } from "../support/tollgate-command.ts";
import type { Settings } from "../support/tollgate-environment.ts";
import { until } from "../support/until.ts";

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: T;
  readonly errors: readonly {
    readonly param: string;
    readonly code: string;
    readonly message: string;
  }[];
  readonly text: string;
}

export interface TaskCustomer {
  readonly accountId: string;
  readonly secret: string;
  /** A text is sent as it is, anything else as JSON. */
  call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<T>>;
  /** Insists on a 200, and returns the task's id. */
  order(model: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** Long-polls until it has ended, through restarts of the gateway. */
  end(taskId: string): Promise<TaskView>;
  read(taskId: string): Promise<TaskView>;
  /** The URL that an upload gives. */
  upload(bytes: Uint8Array, fileName: string): Promise<string>;
  /** Decimal roubles. */
  money(): Promise<{ readonly charged: string; readonly held: string }>;
}

/** What the sandbox knows: every request to create a task, and what became of it. */
export interface ProviderRecord {
  readonly tasks: readonly Readonly<Record<string, unknown>>[];
  readonly submissions: readonly Readonly<Record<string, unknown>>[];
}

export interface TasksScene extends AsyncDisposable {
  readonly db: Db;
  /** Where customers reach whichever gateway is there: stays the same over restarts. */
  readonly url: string;
  readonly sandbox: Sandbox;
  start(options?: Partial<GatewayOptions>): Promise<Gateway>;
  customer(roubles?: string): Promise<TaskCustomer>;
  provider(tag: string): Promise<ProviderRecord>;
  /** `tollgate tasks reconcile` and `tollgate ledger verify` both find nothing. */
  assertBooks(): Promise<void>;
}

const KEY = "key-of-the-operator";
const CATALOGUE = join(import.meta.dirname, "../../catalogue.yaml");

export interface SceneOptions {
  /** The catalogue file's text, made of that of the repository. */
  catalogue?(text: string): string;
  readonly env?: Settings;
}

export async function openTasksScene({
  catalogue,
  env = {},
}: SceneOptions = {}): Promise<TasksScene> {
  const database = await testDatabase();
  const { db } = database;
  const folder = await mkdtemp(join(tmpdir(), "tasks-scene-"));
  const sandbox = await createSandbox({
    port: 0,
    host: "127.0.0.1",
    media: { queueMs: 50, runMs: 100 },
  });
  const shipped = await readFile(CATALOGUE, "utf8");
  const text = catalogue?.(shipped) ?? shipped;
  const gateways: Gateway[] = [];
  const front = await openFront(() => gateways.at(-1)?.url ?? null);
  const settings: Settings = {
    SANDBOX_URL: sandbox.url,
    SANDBOX_API_KEY: KEY,
    // Everybody of this scene lives on loopback.
    FETCH_ALLOW: "127.0.0.0/8",
    STORAGE_URL: `file:${join(folder, "files")}`,
    BASE_URL: front.url,
    DATABASE_URL: database.url,
    ...env,
  };
  const command = createTollgateCommand(settings);

  return {
    db,
    url: front.url,
    sandbox,
    async start(options = {}) {
      const gateway = await startGateway({
        databaseUrl: database.url,
        catalogue: text,
        ...options,
        env: { ...settings, ...options.env },
      });
      gateways.push(gateway);
      return gateway;
    },
    async customer(roubles = "1000000") {
      const accountId = await newAccount(db, roubles);
      const { secret } = await newKey(db, accountId);
      return openCustomer(front.url, db, accountId, secret);
    },
    async provider(tag) {
      const response = await fetch(`${sandbox.url}/sandbox/tasks?tag=${tag}`);
      return (await response.json()) as ProviderRecord;
    },
    async assertBooks() {
      const found = (await command.json("tasks", "reconcile")) as Reconciliation;
      assert.deepEqual(found.mistakes, []);
      await command.verifyLedger();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      front.close();
      await sandbox.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function openCustomer(url: string, db: Db, accountId: string, secret: string): TaskCustomer {
  async function call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<T>> {
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "x-api-key": secret, ...json, ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed = text.startsWith("{")
      ? (JSON.parse(text) as { data: T; errors?: Answer<T>["errors"] })
      : { data: null as T };
    return {
      status: response.status,
      headers: response.headers,
      data: parsed.data,
      errors: parsed.errors ?? [],
      text,
    };
  }
  async function read(taskId: string): Promise<TaskView> {
    const answer = await call<TaskView>("GET", `/v1/tasks/${taskId}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.data;
  }
  return {
    accountId,
    secret,
    call,
    read,
    async order(model, body, headers) {
      const answer = await call<{ taskId: string; state: string }>(
        "POST",
        `/v1/tasks/${model}`,
        body,
        headers,
      );
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.data.state, "queued");
      return answer.data.taskId;
    },
    end: (taskId) =>
      until(
        `the end of task ${taskId}`,
        async () => {
          const answer = await call<TaskView>("GET", `/v1/tasks/${taskId}?wait=5`).catch(
            () => null,
          );
          return answer?.status === 200 && answer.data.completedAt !== null ? answer.data : null;
        },
        90_000,
      ),
    async upload(bytes, fileName) {
      const form = new FormData();
      form.set("file", new Blob([new Uint8Array(bytes)]), fileName);
      const response = await fetch(`${url}/v1/storage/upload`, {
        method: "POST",
        headers: { "x-api-key": secret },
        body: form,
      });
      const answer = (await response.json()) as { data: { url: string } };
      assert.equal(response.status, 200, JSON.stringify(answer));
      return answer.data.url;
    },
    async money() {
      const books = await balance(db, accountId);
      assert.ok(books !== null);
      return { charged: formatRoubles(books.chargedNano), held: formatRoubles(books.heldNano) };
    },
  };
}

/**
 * One address for whichever gateway is there: as a balancer, and as the name that stored files have
 * for ever.
 */
async function openFront(
  target: () => string | null,
): Promise<{ readonly url: string; close(): void }> {
  const server: Server = createServer((request, response) => pass(request, response, target()));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function pass(request: IncomingMessage, response: ServerResponse, target: string | null): void {
  if (target === null) return void response.destroy();
  const { hostname, port } = new URL(target);
  const onward = forward(
    { hostname, port, method: request.method, path: request.url, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => response.destroy());
      answer.pipe(response);
    },
  );
  onward.on("error", () => response.destroy());
  response.on("close", () => void onward.destroy());
  request.pipe(onward);
}

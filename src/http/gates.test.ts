/**
 * Guarantee: a crowd of callers at one kind of route is refused beyond its room, unread and not
 * looked up, and keeps no caller of another kind out.
 */
// Runs in a process of its own: its routes are none of those that other files have answers held against.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { keyRecord } from "../../test/support/key-record.ts";
import { panelMember } from "../../test/support/panel-endpoint.ts";
import { rawHttp, type RawAnswer } from "../../test/support/raw-http.ts";
import { until } from "../../test/support/until.ts";
import type { GateName, RoutedGate } from "../contract/enums/gate-name.ts";
import { systemClock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { createClientAddress } from "./client-address.ts";
import { createGates, gateOf, ROOM } from "./gates.ts";
import { createNodeServer } from "./node-server.ts";
import type { KeyRoute, MemberRoute, OpenRoute, Route } from "./route.ts";

const doc = { operationId: "x", summary: "x", tag: "Service", responses: {}, errors: [] } as const;
const KEY = keyRecord();
const MEMBER = panelMember({ accountId: KEY.accountId });
const streamed = { checkHead: () => undefined };

type More = Partial<Pick<KeyRoute, "streamed" | "waits" | "bodyLimitBytes" | "catchAll">>;

function scene(t: TestContext) {
  const handled = Promise.withResolvers<void>();
  let [lookedUp, begun] = [0, 0];
  const handle = async () => {
    begun += 1;
    await handled.promise;
    return { content: { json: { ok: true } } };
  };
  const key = (method: "GET" | "POST", path: string, more: More = {}): KeyRoute => ({
    ...more,
    method,
    path,
    access: "key",
    doc,
    handle,
  });
  const member = (path: string, more: More = {}): MemberRoute => ({
    ...more,
    method: "GET",
    path,
    access: "member",
    doc,
    admit: () => undefined,
    handle,
  });
  const open = (path: string, more: Partial<OpenRoute> = {}): OpenRoute => ({
    ...more,
    method: "GET",
    path,
    access: "open",
    doc,
    handle,
  });
  const routes = {
    order: key("POST", "/v1/tasks/{model}", { catchAll: true, bodyLimitBytes: 100 }),
    quote: key("POST", "/v1/quote/tasks/{model}"),
    upload: key("POST", "/v1/storage/upload", { streamed }),
    follow: key("GET", "/v1/tasks/{id}", { catchAll: true, waits: true }),
    balance: key("GET", "/v1/balance"),
    panelUpload: { ...member("/panel/api/files", { streamed }), method: "POST" },
    account: member("/panel/api/account"),
    accounts: member("/panel/api/operator/accounts"),
    logIn: { ...open("/panel/api/log-in", { sameOrigin: true }), method: "POST" },
    health: open("/healthz"),
    metrics: open("/metrics"),
    callback: { ...open("/v1/callbacks/{upstream}", { incoming: true }), method: "POST" },
  } satisfies Record<string, Route>;
  const refused: GateName[] = [];
  let throttled = 0;
  const gates = createGates({
    refusals: {
      refuse(_, answer) {
        throttled += 1;
        answer();
      },
    },
    onRefused: (gate) => refused.push(gate),
  });
  const start = async (): Promise<number> => {
    const server = await createNodeServer({
      routes: Object.values(routes),
      rawRoutes: new Map(),
      gates,
      async authenticate(headers) {
        lookedUp += 1;
        if (headers["x-api-key"] !== "good") throw new Fault("invalid_api_key");
        return KEY;
      },
      authenticateMember: async () => MEMBER,
      origin: () => "http://127.0.0.1",
      clientAddress: createClientAddress([]),
      onRequestDone: () => undefined,
      clock: systemClock,
    });
    t.after(() => server.close(100));
    return server.listen({ host: "127.0.0.1", port: 0 });
  };
  return {
    routes,
    gates,
    refused,
    start,
    letThrough: handled.resolve,
    get lookedUp() {
      return lookedUp;
    },
    get throttled() {
      return throttled;
    },
    get begun() {
      return begun;
    },
  };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: good\r\n\r\n`;
const post = (path: string, body: string, more = ""): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: good\r\n${more}content-length: ${body.length}\r\n\r\n${body}`;

test("each kind of route has its gate; what machines watch and report to has none", (t) => {
  const { routes } = scene(t);
  const found = Object.entries(routes).map(([name, route]) => [name, gateOf(route)]);
  assert.deepEqual(Object.fromEntries(found), {
    order: "tasks",
    quote: "tasks",
    upload: "uploads",
    follow: "api",
    balance: "api",
    panelUpload: "uploads",
    account: "panel",
    accounts: "operator",
    logIn: "panel",
    health: null,
    metrics: null,
    callback: null,
  });
});

test("what is beyond the room is refused unread, not looked up, in its protocol's words, and the others are served", async (t) => {
  const stage = scene(t);
  const { gates } = stage;
  const port = await stage.start();
  const rush = Array.from({ length: ROOM.tasks }, () =>
    rawHttp(port, post("/v1/tasks/m", "{}"), 500),
  );
  await until("the gate to be full", async () => gates.waiting("tasks") === ROOM.tasks);
  const { lookedUp } = stage;
  const late = await rawHttp(port, post("/v1/tasks/m", "{}"));
  assert.equal(late.status, 503, late.text);
  assert.equal(late.headers.get("retry-after"), "1");
  assert.match(late.text, /"code":503,"msg":"There are more orders of tasks than the gateway/);
  // Who asks whether to send its body is not asked for it.
  const asking = post("/v1/tasks/m", "{}", "expect: 100-continue\r\n");
  const unasked = await rawHttp(port, asking.slice(0, -2));
  assert.match(unasked.text, /^HTTP\/1\.1 503 /);
  assert.equal(stage.lookedUp, lookedUp);
  assert.deepEqual(stage.refused, ["tasks", "tasks"]);
  assert.equal(stage.throttled, 2);

  const others = [
    get("/v1/balance"),
    get("/panel/api/account"),
    get("/panel/api/operator/accounts"),
    get("/healthz"),
    get("/metrics"),
  ].map((request) => rawHttp(port, request, 500));
  await until("the others to be served", async () => stage.begun === ROOM.tasks + others.length);
  stage.letThrough();
  for (const { status, text } of await Promise.all([...rush, ...others]))
    assert.equal(status, 200, text);
  const names: readonly RoutedGate[] = ["tasks", "api", "panel", "operator", "uploads"];
  for (const name of names) assert.equal(gates.waiting(name), 0, name);
  assert.equal((await rawHttp(port, post("/v1/tasks/m", "{}"))).status, 200);
});

test("what waits for others counts for nothing, nor does a body that is still coming", async (t) => {
  const stage = scene(t);
  const port = await stage.start();
  const slow = Array.from({ length: ROOM.tasks + 5 }, () =>
    rawHttp(port, post("/v1/tasks/m", "{}").slice(0, -1), 60_000),
  );
  await until("all to be looked up", async () => stage.lookedUp === slow.length);
  assert.equal(stage.gates.waiting("tasks"), 0);
  const following = Array.from({ length: ROOM.api + 5 }, () =>
    rawHttp(port, get("/v1/tasks/0199"), 500),
  );
  await until("all to wait", async () => stage.begun === following.length);
  assert.equal(stage.gates.waiting("api"), 0);
  assert.deepEqual(stage.refused, []);
  stage.letThrough();
  const answers: RawAnswer[] = await Promise.all(following);
  assert.ok(answers.every(({ status }) => status === 200));
});

test("work that fails leaves its place", async (t) => {
  const { gates } = scene(t);
  for (let i = 0; i <= ROOM.panel; i++)
    await assert.rejects(
      gates.within("panel", () => Promise.reject(new Error("broken"))),
      /broken/,
    );
  assert.equal(gates.waiting("panel"), 0);
});

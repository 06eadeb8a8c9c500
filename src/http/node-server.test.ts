/**
 * The endpoint against what clients really and hostile ones deliberately send: one parsed target
 * (hazards §202), odd headers beside a bystander (hazards §222), limits, drain.
 */
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import fc from "fast-check";
import Type from "typebox";
import { keyRecord } from "../../test/support/key-record.ts";
import { rawHttp } from "../../test/support/raw-http.ts";
import { systemClock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { formatRequestId } from "../kernel/ids.ts";
import { createClientAddress } from "./client-address.ts";
import { createNodeServer } from "./node-server.ts";
import type { HttpServer, RawHandler } from "./node-server.ts";
import type { RequestDone } from "./request-log.ts";
import type { Route } from "./route.ts";

const KEY = keyRecord();

const doc = { operationId: "x", summary: "x", tag: "Service", responses: {}, errors: [] } as const;
const Body = Type.Object({ name: Type.String(), count: Type.Integer() });

const ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/open",
    access: "open",
    doc,
    handle: () => ({ content: { json: { open: true } } }),
  },
  {
    method: "GET",
    path: "/v1/secret",
    access: "key",
    doc,
    handle: () => ({ content: { json: { secret: true } } }),
  },
  {
    method: "GET",
    path: "/v1/things/{id}",
    catchAll: true,
    access: "key",
    doc,
    handle: ({ params }) => ({ content: { json: params } }),
  },
  {
    method: "POST",
    path: "/v1/storage/echo",
    access: "key",
    doc: { ...doc, requestBody: Body },
    handle: ({ body }) => ({ content: { json: body } }),
  },
  {
    method: "GET",
    path: "/v1/messages/broken",
    access: "key",
    doc,
    handle: () => {
      throw new Error("select secret from table");
    },
  },
  { method: "POST", path: "/v1/chat/completions", access: "raw", doc },
];

interface Endpoint {
  readonly port: number;
  readonly done: RequestDone[];
  /** Resolves when the first request has been authenticated, so is certainly there. */
  readonly authenticated: Promise<void>;
  /** Resolves to the first request of this method that is over. */
  over(method: string): Promise<RequestDone>;
  readonly server: HttpServer;
}

async function openEndpoint(
  t: TestContext,
  raw: RawHandler = (_request, response, _requestId, head) =>
    void response.writeHead(200, head).end(),
): Promise<Endpoint> {
  const done: RequestDone[] = [];
  const watchers: (() => void)[] = [];
  const authenticated = Promise.withResolvers<void>();
  const server = await createNodeServer({
    routes: ROUTES,
    rawRoutes: new Map([["/v1/chat/completions", raw]]),
    authenticateMember: () => Promise.reject(new Fault("session_required")),
    origin: () => "http://127.0.0.1",
    clientAddress: createClientAddress([]),
    authenticate: async (headers) => {
      authenticated.resolve();
      if (headers["x-api-key"] !== "good") throw new Fault("invalid_api_key");
      return KEY;
    },
    onRequestDone(entry) {
      done.push(entry);
      for (const watcher of watchers) watcher();
    },
    clock: systemClock,
  });
  const port = await server.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => server.close(100));
  return {
    port,
    done,
    server,
    authenticated: authenticated.promise,
    over(method) {
      const { promise, resolve } = Promise.withResolvers<RequestDone>();
      const look = (): void => {
        const found = done.find((entry) => entry.method === method);
        if (found !== undefined) resolve(found);
      };
      watchers.push(look);
      look();
      return promise;
    },
  };
}

function get(target: string, headers = "x-api-key: good\r\n"): string {
  return `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`;
}

test("no spelling of a protected path answers 2xx without a key, whatever Host and forwarding headers say", async (t) => {
  const { port } = await openEndpoint(t);
  const paths = ["/v1/secret", "/v1/secret/", "/v1/things/a", "/v1/things/a/b"];
  const spellings = (path: string): string[] => [
    path,
    `/${path}`,
    `//evil${path}`,
    `/open/..${path}`,
    `/open/%2e%2e${path}`,
    `/open/..%2f..${path}`,
    `/open;${path}`,
    `${path};/open`,
    `${path}?/open`,
    `${path}%3f/open`,
    `${path}%00`,
    `${path}%2f`,
    `/.${path}`,
    path.replaceAll("/", "%2f"),
    path.replaceAll("/", "\\"),
    path.toUpperCase(),
    path.replace("v1", "%761"),
    `http://x/open${path}`,
    `http://x${path}`,
    `http://open@x${path}`,
    `HTTP://[::1]:80${path}`,
    `http:/${path}`,
  ];
  const headerSets = [
    "",
    "x-forwarded-host: x\r\nx-original-url: /open\r\nx-rewrite-url: /open\r\nx-forwarded-prefix: /open\r\nx-http-method-override: OPTIONS\r\n",
    "host: x/open\r\n",
    "authorization: Bearer good\r\ncookie: x-api-key=good\r\n",
  ];
  for (const path of paths) {
    for (const spelling of spellings(path)) {
      for (const headers of headerSets) {
        const { status, headers: sent } = await rawHttp(port, get(spelling, headers));
        assert.ok(
          status !== null && status >= 400,
          `${spelling} with ${JSON.stringify(headers)} answered ${status}`,
        );
        assert.match(sent.get("x-request-id") ?? "", /^req_[0-9a-f]{32}$/);
        assert.equal(sent.get("request-id"), sent.get("x-request-id"));
      }
    }
  }
});

test("the same path with a key answers, in the spellings that mean it", async (t) => {
  const { port } = await openEndpoint(t);
  for (const spelling of [
    "/v1/secret",
    "/v1/secret/",
    "/v1/secret?a=/../b",
    "http://other.example/v1/secret",
    "/v1/%73ecret",
  ]) {
    assert.equal((await rawHttp(port, get(spelling))).status, 200, spelling);
  }
  assert.match((await rawHttp(port, get("/v1/things/a/b%2Fc%20d"))).text, /\{"id":"a\/b\/c d"\}$/);
});

test("POST to the raw route goes there whatever the query and the slash at the end; anything else does not", async (t) => {
  const seen: string[] = [];
  const { port, done } = await openEndpoint(t, (request, response, requestId, head) => {
    seen.push(formatRequestId(requestId));
    response.writeHead(200, head).end();
    request.resume();
  });
  const post = (target: string) =>
    rawHttp(
      port,
      `POST ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    );
  for (const target of [
    "/v1/chat/completions",
    "/v1/chat/completions/",
    "/v1/chat/completions?x=1",
    "http://y/v1/chat/completions",
  ]) {
    const { status, headers } = await post(target);
    assert.equal(status, 200, target);
    assert.equal(headers.get("x-request-id"), seen.at(-1));
  }
  assert.equal(seen.length, 4);
  assert.equal((await post("/v1/chat//completions")).status, 404);
  assert.equal((await rawHttp(port, get("/v1/chat/completions"))).status, 405);
  assert.equal(done.length, 2, "the raw route logs its requests itself");
  assert.equal(seen.length, 4);
});

test("a wrong method is a 405 that names the right ones; OPTIONS is answered without CORS headers; an unknown path is a 404 for every method", async (t) => {
  const { port } = await openEndpoint(t);
  const send = (method: string, target: string) =>
    rawHttp(
      port,
      `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\norigin: https://evil.example\r\n\r\n`,
    );
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "TRACE"]) {
    const { status, headers } = await send(method, "/v1/secret");
    assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD, OPTIONS"], method);
  }
  const options = await send("OPTIONS", "/v1/chat/completions");
  assert.deepEqual([options.status, options.headers.get("allow")], [204, "POST, OPTIONS"]);
  assert.ok([...options.headers.keys()].every((name) => !name.startsWith("access-control-")));
  assert.equal((await send("OPTIONS", "*")).status, 204);
  for (const method of ["GET", "POST", "OPTIONS", "DELETE", "PROPFIND", "QUERY"])
    assert.equal((await send(method, "/v1/nothing")).status, 404, method);
  assert.equal((await send("CONNECT", "example.com:443")).status, 405);
  const head = await send("HEAD", "/open");
  assert.deepEqual([head.status, head.text.split("\r\n\r\n")[1]], [200, ""]);
});

test("an unknown path is a 404 whatever body and content type come with it", async (t) => {
  const { port } = await openEndpoint(t);
  const { status } = await rawHttp(
    port,
    "POST /v1/nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: ;;;\r\ncontent-length: 3\r\n\r\nabc",
  );
  assert.equal(status, 404);
});

test("what is not HTTP is answered with an error and an id, and the connection is closed", async (t) => {
  const { port, done } = await openEndpoint(t);
  const cases: readonly (readonly [bytes: string, status: number])[] = [
    ["HELLO\r\n\r\n", 400],
    ["GET /open HTTP/1.1\r\n\r\n", 400],
    ["GET /open HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n", 400],
    [
      "GET /open HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
      400,
    ],
    ["GET /open HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400],
    [`GET /open HTTP/1.1\r\nhost: x\r\nbig: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    [`GET /${"x".repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    ["GET /open#x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", 400],
  ];
  for (const [bytes, status] of cases) {
    const answer = await rawHttp(port, bytes);
    assert.equal(answer.status, status, bytes.slice(0, 60));
    assert.match(answer.headers.get("x-request-id") ?? "", /^req_/);
    assert.match(answer.text, /\{"error":\{"message":/);
  }
  assert.deepEqual(
    done.map((entry) => entry.status),
    cases.map(([, status]) => status),
  );
  assert.equal(
    (await rawHttp(port, "GET /open HTTP/1.0\r\n\r\n")).status,
    200,
    "HTTP/1.0 needs no Host header",
  );
});

test("whatever headers come in, a bystander on another connection is served meanwhile", async (t) => {
  const { port } = await openEndpoint(t);
  const bystander = async (): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/secret`, {
      headers: { "x-api-key": "good" },
    });
    assert.deepEqual([response.status, await response.json()], [200, { secret: true }]);
  };
  const name = fc.oneof(
    fc.constantFrom(
      "__proto__",
      "constructor",
      "hasOwnProperty",
      "x-api-key",
      "authorization",
      "content-length",
      "transfer-encoding",
      "connection",
      "expect",
      "upgrade",
      "content-type",
      "anthropic-version",
      "cookie",
      "host",
      "accept",
      "if-none-match",
    ),
    fc.string({ minLength: 1, maxLength: 20 }),
  );
  const value = fc.oneof(
    fc.constantFrom(
      "",
      "good",
      "chunked",
      "100-continue",
      "x",
      "-1",
      "18446744073709551616",
      "close, keep-alive",
      "websocket",
      ",,,",
      "\u0000",
      "\u00ff",
      "a\rb",
    ),
    fc.string({ maxLength: 60 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("/v1/secret", "/open", "/v1/nothing", "/v1/storage/echo"),
      fc.constantFrom("GET", "POST", "OPTIONS"),
      fc.array(fc.tuple(name, value), { maxLength: 8 }),
      async (path, method, headers) => {
        const lines = headers.map(([header, content]) => `${header}: ${content}\r\n`).join("");
        const [answer] = await Promise.all([
          rawHttp(
            port,
            Buffer.from(
              `${method} ${path} HTTP/1.1\r\nhost: x\r\n${lines}connection: close\r\n\r\n`,
              "latin1",
            ),
            30,
          ),
          bystander(),
        ]);
        const authorised = headers.some(
          ([header, content]) =>
            header.trim().toLowerCase() === "x-api-key" && content.trim() === "good",
        );
        if (
          answer.status !== null &&
          answer.status < 300 &&
          answer.status >= 200 &&
          path === "/v1/secret" &&
          method === "GET"
        )
          assert.ok(authorised);
        assert.ok(
          answer.status === null || answer.status < 500,
          `${answer.status} to ${JSON.stringify(lines)}`,
        );
      },
    ),
    { numRuns: 150 },
  );
  await bystander();
});

test("a JSON body is taken within its size, depth, type and schema; every mistake is listed, nothing is coerced", async (t) => {
  const { port } = await openEndpoint(t);
  const send = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/storage/echo`, {
      method: "POST",
      headers: { "x-api-key": "good", "content-type": "application/json", ...headers },
      body,
    });
    return {
      status: response.status,
      json: (await response.json()) as { errors?: unknown[]; code?: number; requestId?: string },
    };
  };
  assert.deepEqual((await send('{"name":"é","count":1}')).json, { name: "é", count: 1 });
  const wrong = await send('{"name":1,"count":"1"}');
  assert.equal(wrong.status, 400);
  assert.deepEqual(wrong.json.errors?.length, 2);
  assert.equal(wrong.json.code, 400);
  assert.match(wrong.json.requestId ?? "", /^req_/);
  const nul = await send('{"name":"x","count":1,"more":[{"text":"\\u0000"}]}');
  assert.equal(nul.status, 400);
  assert.match(JSON.stringify(nul.json.errors), /"param":"more\[0\]\.text"/);
  const refused: readonly (readonly [number, string | Buffer, Record<string, string>?])[] = [
    [400, "{"],
    [400, "[]"],
    [400, ""],
    [400, Buffer.from('{"name":"\xff"}', "latin1")],
    [400, '{"name":"a\\u0000b","count":1}'],
    [400, `{"name":${"[".repeat(1000)}${"]".repeat(1000)}}`],
    [413, JSON.stringify({ name: "x".repeat(1024 * 1024), count: 1 })],
    [415, "name=x&count=1", { "content-type": "application/x-www-form-urlencoded" }],
    [415, '{"name":"x","count":1}', { "content-type": "text/plain" }],
    [415, '{"name":"x","count":1}', { "content-encoding": "gzip" }],
  ];
  for (const [status, body, headers] of refused)
    assert.equal((await send(body, headers)).status, status, String(body).slice(0, 40));
  const unknown = await send('{"name":"x","count":1}', { "x-api-key": "bad" });
  assert.equal(unknown.status, 401, "the key is looked at before the body");
});

test("our own mistake is a 500 in the family of the path, without a word of what broke", async (t) => {
  const { port, done } = await openEndpoint(t);
  const response = await fetch(`http://127.0.0.1:${port}/v1/messages/broken`, {
    headers: { "x-api-key": "good" },
  });
  const body = (await response.json()) as {
    type: string;
    error: { type: string; message: string };
    request_id: string;
  };
  assert.equal(response.status, 500);
  assert.deepEqual(
    [body.type, body.error.type, body.request_id],
    ["error", "api_error", response.headers.get("request-id")],
  );
  assert.doesNotMatch(JSON.stringify(body), /select/);
  assert.match(String(done[0]?.fault?.cause), /select/, "the log gets the cause");
});

test(
  "a sender whose body is not read is cut off soon after the answer",
  { timeout: 30_000 },
  async (t) => {
    const { port } = await openEndpoint(t);
    const socket = connect(port, "127.0.0.1", () =>
      socket.write("POST /v1/nothing HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nabc"),
    );
    socket.on("error", () => undefined);
    const answer = await new Promise<string>((resolve) =>
      socket.once("data", (part) => resolve(String(part))),
    );
    assert.match(answer, /^HTTP\/1\.1 404/);
    await new Promise((resolve) => socket.once("close", resolve));
  },
);

test("a client that leaves before its answer is logged as such, and the server goes on", async (t) => {
  const { port, authenticated, over } = await openEndpoint(t);
  const request = httpRequest({
    port,
    path: "/v1/storage/echo",
    method: "POST",
    headers: { "x-api-key": "good", "content-type": "application/json", "content-length": "100" },
  });
  request.on("error", () => undefined);
  request.flushHeaders();
  await authenticated;
  request.destroy();
  assert.equal((await over("POST")).aborted, true);
  assert.equal((await rawHttp(port, get("/open"))).status, 200);
});

test("closing answers what is under way with connection: close, takes nothing new, and resolves when the last answer is out", async (t) => {
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const { port, server } = await openEndpoint(t, (_request, response) => {
    arrived.resolve();
    void gate.promise.then(() => response.end("late"));
  });
  const late = fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: "POST" });
  await arrived.promise;
  let closed = false;
  const closing = server.close(5_000).then(() => (closed = true));
  assert.equal((await rawHttp(port, get("/open"))).status, null, "no new connections");
  assert.equal(closed, false);
  gate.resolve();
  assert.equal(await (await late).text(), "late");
  await closing;
});

test("closing cuts what is left at the deadline", { timeout: 30_000 }, async (t) => {
  const arrived = Promise.withResolvers<void>();
  const { port, server } = await openEndpoint(t, () => arrived.resolve());
  const never = fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: "POST" });
  await arrived.promise;
  const [result] = await Promise.allSettled([never, server.close(50)]);
  assert.equal(result.status, "rejected");
});

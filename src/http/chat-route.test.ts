/**
 * Guarantees of the chat endpoint: who is asked first, that no byte of a body is lost meanwhile,
 * and that every answer has its id and is told once.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keyRecord } from "../../test/support/key-record.ts";
import { rawHttp } from "../../test/support/raw-http.ts";
import { until } from "../../test/support/until.ts";
import { tellEnd, type ChatCall } from "../serving/chat/chat-call.ts";
import { SILENT_TRACER } from "../serving/chat/chat-trace.ts";
import type { Caller } from "../serving/admission/find-caller.ts";
import { systemClock } from "../kernel/clock.ts";
import { Fault } from "../kernel/faults.ts";
import { formatRequestId } from "../kernel/ids.ts";
import { NO_RATE_LIMITS } from "../kernel/rate-limits.ts";
import type { ChatDialect } from "../protocol/chat-dialect.ts";
import { openAiDialect } from "../protocol/openai/dialect.ts";
import { createChatRoute } from "./chat-route.ts";
import type { ChatRouteDeps, ChatRouteDone } from "./chat-route.ts";
import { createClientAddress } from "./client-address.ts";
import { renderFault } from "./error-family.ts";
import { createNodeServer } from "./node-server.ts";
import type { HttpServer } from "./node-server.ts";
import { createRefusalThrottle } from "./refusal-throttle.ts";

const PATH = "/v1/chat/completions";
const CALLER: Caller = { ...keyRecord(), accountLimits: NO_RATE_LIMITS };

interface Endpoint {
  readonly port: number;
  readonly server: HttpServer;
  readonly done: ChatRouteDone[];
}

async function openEndpoint(
  t: TestContext,
  serve: (call: ChatCall) => Promise<void> | void,
  authenticate: ChatRouteDeps<ChatDialect>["authenticate"] = () => CALLER,
  refusal: () => Fault | null = () => null,
  refusals = createRefusalThrottle(),
): Promise<Endpoint> {
  const done: ChatRouteDone[] = [];
  const handler = createChatRoute({
    path: PATH,
    dialect: openAiDialect,
    service: {
      refusal,
      begin: (call, ending) => tellEnd(ending, (async () => serve(call))()),
    },
    clock: systemClock,
    tracer: SILENT_TRACER,
    authenticate,
    clientAddress: createClientAddress([]),
    refusals,
    renderError: (fault, requestId) => renderFault("openai", fault, formatRequestId(requestId)),
    renderStanding: ({ concurrent }) => ({ "x-left": String(concurrent?.remaining) }),
    onDone: (entry) => done.push(entry),
  });
  const server = await createNodeServer({
    routes: [
      {
        method: "POST",
        path: PATH,
        access: "raw",
        doc: { operationId: "x", summary: "x", tag: "Chat", responses: {}, errors: [] },
      },
    ],
    rawRoutes: new Map([[PATH, handler]]),
    authenticateMember: () => Promise.reject(new Fault("session_required")),
    origin: () => "http://127.0.0.1",
    clientAddress: createClientAddress([]),
    authenticate: () => Promise.reject(new Fault("invalid_api_key")),
    onRequestDone: () => undefined,
    clock: systemClock,
  });
  const port = await server.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => server.close(100));
  return { port, server, done };
}

function post(body: string, headers = ""): string {
  return `POST ${PATH} HTTP/1.1\r\nhost: x\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const echo = ({ body, reply }: ChatCall): void =>
  reply.json(200, { "content-type": "text/plain" }, body);

test("a body arrives whole, in one piece or in many, while its key is being looked up or after", async (t) => {
  let lookUp: () => Caller | Promise<Caller> = () => CALLER;
  const { port, done } = await openEndpoint(t, echo, () => lookUp());
  const body = "body ".repeat(5_000);
  for (const way of [
    () => CALLER,
    () => Promise.resolve(CALLER),
    () => sleep(60).then(() => CALLER),
  ]) {
    lookUp = way;
    for (const [pieces, pauseMs] of [
      [[post(body)], 0],
      [[post(""), post("x"), post(body)], 0],
      [post(body).match(/[^]{1,4000}/g) ?? [], 10],
      [
        [
          `POST ${PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`,
          "5\r\nbody \r\n",
          "4\r\nbody\r\n0\r\n\r\n",
        ],
        20,
      ],
    ] as const) {
      const socket = connect(port, "127.0.0.1").setEncoding("latin1");
      let text = "";
      socket.on("data", (part) => (text += String(part)));
      for (const piece of pieces) {
        socket.write(piece);
        if (pauseMs > 0) await sleep(pauseMs);
      }
      const expected =
        pieces.length === 1 || pieces[0]?.includes("chunked") !== true ? body : "body body";
      for (
        const deadline = Date.now() + 5_000;
        !text.endsWith(`\r\n\r\n${expected}`) && Date.now() < deadline;
      )
        await sleep(5);
      assert.ok(text.endsWith(`\r\n\r\n${expected}`), text.slice(0, 200));
      socket.destroy();
    }
  }
  assert.ok(done.length >= 15 && done.every(({ status, aborted }) => status === 200 && !aborted));
});

test("who has no good key is refused before the body, with an id and in time, whether it is known at once or later", async (t) => {
  const refusal = new Fault("invalid_api_key");
  let later = false;
  const { port, done } = await openEndpoint(
    t,
    () => assert.fail("served"),
    () => {
      if (later) return Promise.reject(refusal);
      throw refusal;
    },
  );
  for (const way of [false, true]) {
    later = way;
    const { status, headers } = await rawHttp(port, post("{}"));
    assert.equal(status, 401);
    assert.match(headers.get("x-request-id") ?? "", /^req_[0-9a-f]{32}$/);
    assert.equal(headers.get("request-id"), headers.get("x-request-id"));
    assert.equal(headers.get("connection"), "keep-alive");
    // A sender that holds its body back still gets to read why.
    assert.equal(
      (await rawHttp(port, `POST ${PATH} HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n`)).status,
      401,
    );
  }
  assert.deepEqual(
    done.map(({ status, key, fault }) => [status, key, fault?.code]),
    Array.from({ length: 4 }, () => [401, null, "invalid_api_key"]),
  );
});

test("while there is too much to do callers are told so before they are looked up or read, and are heard again on the same connection", async (t) => {
  let crowded = true;
  const { port, done } = await openEndpoint(
    t,
    echo,
    () => (crowded ? assert.fail("looked up") : CALLER),
    () => (crowded ? new Fault("overloaded", { retryAfterSeconds: 1 }) : null),
  );
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  t.after(() => socket.destroy());
  let text = "";
  socket.on("data", (part) => (text += String(part)));
  const reported = async (times: number, what: RegExp): Promise<void> => {
    for (
      const deadline = Date.now() + 5_000;
      text.split(what).length <= times && Date.now() < deadline;
    )
      await sleep(5);
    assert.equal(text.split(what).length - 1, times, text);
  };
  const startedMs = performance.now();
  // A body that comes along, one that comes later, and several requests at once.
  socket.write(post("{}"));
  await reported(
    1,
    /HTTP\/1\.1 503 [^]*?x-request-id: req_[^]*?retry-after: 1\r\n[^]*?"code":"overloaded"/i,
  );
  const late = post("x".repeat(100_000));
  socket.write(late.slice(0, 200));
  await reported(2, /HTTP\/1\.1 503 /);
  await sleep(50);
  socket.write(late.slice(200));
  socket.write(post("{}").repeat(3));
  await reported(5, /HTTP\/1\.1 503 /);
  const stalled = connect(port, "127.0.0.1");
  stalled.write(late.slice(0, 300));
  await once(stalled.resume(), "close");
  assert.deepEqual(
    done.map(({ status, key, fault }) => [status, key, fault?.code]),
    Array.from({ length: 6 }, () => [503, null, "overloaded"]),
  );
  assert.ok(
    performance.now() - startedMs < 10_000,
    "who stalls is cut, long before requests end in general",
  );
  crowded = false;
  socket.write(post("served"));
  await reported(1, /HTTP\/1\.1 200 [^]*served$/);
});

test("a refusal waits for its turn, unread, and who has left meanwhile is told nothing", async (t) => {
  const held: (() => void)[] = [];
  const { port, done } = await openEndpoint(
    t,
    () => assert.fail("served"),
    () => assert.fail("looked up"),
    () => new Fault("overloaded"),
    {
      refuse: (_, answer) => void held.push(answer),
      get held() {
        return held.length;
      },
    },
  );
  const [stays, leaves] = [0, 1].map(() => connect(port, "127.0.0.1").setEncoding("latin1"));
  assert.ok(stays !== undefined && leaves !== undefined);
  t.after(() => stays.destroy());
  leaves.write(post("{}"));
  await until("one to be held", async () => held.length === 1);
  stays.write(post("{}"));
  await until("both to be held", async () => held.length === 2);
  leaves.destroy();
  await sleep(50);
  assert.equal(done.length, 0);
  for (const answer of held) answer();
  const [answer] = (await once(stays, "data")) as [string];
  assert.match(answer, /^HTTP\/1\.1 503 /);
  assert.deepEqual(
    done.map(({ status, aborted }) => [status, aborted]),
    [
      [503, true],
      [503, false],
    ],
  );
  assert.ok((done[1]?.startedMs ?? Infinity) < performance.now() - 40, "the wait counts");
});

test("a refusal after the standing was shown has it too; what fails after the first byte breaks off; each is told once", async (t) => {
  const { port, done } = await openEndpoint(t, ({ body, reply }) => {
    reply.showStanding({
      at: new Date(),
      requests: null,
      tokens: null,
      concurrent: { limit: 9, remaining: 7 },
    });
    if (body.length > 2) {
      reply.startStream();
      reply.write(body);
    }
    throw new Fault("insufficient_balance");
  });
  const refused = await rawHttp(port, post("{}"));
  assert.deepEqual([refused.status, refused.headers.get("x-left")], [402, "7"]);
  assert.match(refused.headers.get("x-request-id") ?? "", /^req_/);
  await assert.rejects(async () =>
    (await fetch(`http://127.0.0.1:${port}${PATH}`, { method: "POST", body: "long" })).text(),
  );
  assert.deepEqual(
    done.map(({ status, key }) => [status, key?.keyId]),
    [
      [402, CALLER.keyId],
      [402, CALLER.keyId],
    ],
  );
});

test("while the server closes, answers and refusals say so", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const { port, server } = await openEndpoint(t, async ({ body, reply }) => {
    if (String(body) === "wait") {
      arrived.resolve();
      await gate.promise;
    } else if (String(body) === "bad") throw new Fault("invalid_request");
    reply.json(200, {}, body);
  });
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  let text = "";
  socket.on("data", (part) => (text += String(part)));
  socket.write(post("wait"));
  await arrived.promise;
  const closing = server.close(5_000);
  socket.write(post("bad") + post("good"));
  await sleep(50);
  gate.resolve();
  await Promise.all([closing, once(socket, "close")]);
  const [first = "", second = ""] = text.split("HTTP/1.1 ").slice(1);
  assert.match(first, /^200 [^]*connection: keep-alive/i);
  assert.match(second, /^400 [^]*connection: close/i);
});

test(
  "a connection whose answer had begun before the server closes is closed with it, not at the deadline",
  { timeout: 20_000 },
  async (t) => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const { port, server } = await openEndpoint(t, async ({ reply }) => {
      reply.startStream();
      begun.resolve();
      await gate.promise;
      reply.end(Buffer.from("late"));
    });
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    let text = "";
    socket.on("data", (part) => (text += String(part)));
    socket.write(post("{}"));
    await begun.promise;
    const closing = server.close(60_000);
    gate.resolve();
    await Promise.all([closing, once(socket, "close")]);
    assert.match(text, /connection: keep-alive[^]*\r\n4\r\nlate\r\n0\r\n\r\n$/i);
  },
);

test("what is not HTTP behind a request under way ends the connection after its whole answer and writes nothing into it", async (t) => {
  const { port } = await openEndpoint(t, async ({ reply }) => {
    reply.startStream();
    reply.write(Buffer.from("begun"));
    await sleep(50);
    reply.end(null);
  });
  const under = connect(port, "127.0.0.1").setEncoding("latin1");
  let text = "";
  under.on("data", (part) => (text += String(part)));
  under.write(`${post("{}")}NOT HTTP\r\n\r\n`);
  await sleep(20);
  under.write("nor is this");
  await once(under, "close");
  assert.match(text, /^HTTP\/1\.1 200 [^]*\r\n5\r\nbegun\r\n0\r\n\r\n$/);
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  let idle = "";
  socket.on("data", (part) => (idle += String(part)));
  socket.write(post("{}"));
  await sleep(150);
  assert.match(idle, /0\r\n\r\n$/);
  socket.write("NOT HTTP\r\n\r\n");
  await once(socket, "close");
  assert.match(idle, /0\r\n\r\nHTTP\/1\.1 400 [^]*x-request-id: req_/);
});

test("a sender that stops in the middle of its body is told so, or leaves and is noted", async (t) => {
  const { port, done } = await openEndpoint(t, () => assert.fail("served"));
  const socket = connect(port, "127.0.0.1");
  socket.write(post("0123456789").slice(0, -3));
  await sleep(50);
  socket.destroy();
  for (const deadline = Date.now() + 5_000; done.length === 0 && Date.now() < deadline;)
    await sleep(5);
  assert.deepEqual(
    done.map(({ status, aborted }) => [status, aborted]),
    [[400, true]],
  );
});

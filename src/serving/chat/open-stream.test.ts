/**
 * Protects: a stream is open at its first meaningful frame and failed before it, with the HTTP
 * status the failure deserves (hazards §6).
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createOutgoing } from "../../net/outgoing.ts";
import type { Frame } from "../../protocol/chat-dialect.ts";
import { HIDES_NOTHING } from "../../protocol/operator-words.ts";
import { openAiUpstream } from "../../protocol/openai/upstream.ts";
import { openAiChatRequest } from "../../upstreams/openai-compatible.ts";
import type { Handler } from "../../../test/support/scripted-upstream.ts";
import { startScriptedUpstream } from "../../../test/support/scripted-upstream.ts";
import { openAiChunk, openAiStream } from "../../../test/support/openai-stream.ts";
import type { OpenStreamOutcome } from "./open-stream.ts";
import { openStream } from "./open-stream.ts";

const outgoing = createOutgoing();
after(() => outgoing.close());

const ROLE = openAiChunk({}, [
  { index: 0, delta: { role: "assistant", content: "" }, finish_reason: null },
]);

async function attempt(
  handler: Handler,
  judge: (outcome: OpenStreamOutcome) => Promise<void> | void,
): Promise<void> {
  const upstream = await startScriptedUpstream(handler);
  const target = {
    baseUrl: `${upstream.url}/v1`,
    timeoutsMs: { connect: 2000, firstByte: 2000, idle: 2000 },
  };
  const request = openAiChatRequest(target, {
    body: Buffer.from("{}"),
    credential: "c",
    stream: true,
    traceparent: null,
    forward: {},
    query: "",
  });
  const reader = openAiUpstream.createFrameReader();
  try {
    await judge(
      await new Promise((done) =>
        openStream(outgoing, request, { reader, hide: HIDES_NOTHING, streamOf: () => null }, done),
      ),
    );
  } finally {
    await upstream.close();
  }
}

function failed(
  outcome: OpenStreamOutcome,
): Extract<OpenStreamOutcome, { kind: "failed" }>["failure"] {
  if (outcome.kind !== "failed") throw new Error("the attempt did not fail");
  return outcome.failure;
}

test("an error frame before any content is a failure with its status, not an empty success", async () => {
  const frame = `data: ${JSON.stringify({ error: { message: "slow down", type: "rate_limit_error", code: 429 } })}\n\n`;
  await attempt(
    async (exchange) => {
      await exchange.sendAll([ROLE, frame]);
      exchange.end();
    },
    (outcome) => assert.equal(failed(outcome).kind, "busy"),
  );
});

for (const [name, contentType, body] of [
  [
    "a JSON error under status 200",
    "application/json",
    JSON.stringify({ error: { message: "no", type: "server_error" } }),
  ],
  ["an HTML page under status 200", "text/html", "<html>gateway</html>"],
  ["an HTML page that claims to be a stream", "text/event-stream", "<html>gateway</html>"],
  ["an empty body", "text/event-stream", ""],
  ["a stream of comments only", "text/event-stream", ": hello\n\n"],
  ["a role and nothing more", "text/event-stream", ROLE.toString()],
  ["a first event that is not JSON", "text/event-stream", "data: {oops\n\n"],
] as const) {
  test(`${name} is a failure that lets the next route try`, async () => {
    await attempt(
      async (exchange) => {
        exchange.head(200, { "content-type": contentType });
        if (body !== "") await exchange.send(body);
        exchange.end();
      },
      (outcome) => assert.notEqual(failed(outcome).kind, "caller"),
    );
  });
}

test("a 400 is the caller's, with the upstream's words and field", async () => {
  await attempt(
    (exchange) =>
      exchange.json(400, {
        error: {
          message: "bad temperature",
          type: "invalid_request_error",
          param: "temperature",
          code: null,
        },
      }),
    (outcome) => {
      const failure = failed(outcome);
      assert.equal(failure.kind, "caller");
      assert.deepEqual(failure.callerText, {
        message: "bad temperature",
        param: "temperature",
        code: null,
        type: "invalid_request_error",
        fields: {},
      });
    },
  );
});

test("a 429 keeps its retry-after", async () => {
  await attempt(
    (exchange) => exchange.json(429, { error: { message: "later" } }, { "retry-after": "3" }),
    (outcome) => assert.equal(failed(outcome).retryAfterSeconds, 3),
  );
});

test("an open stream hands over what came before and what follows, in order, and its end", async () => {
  const events = openAiStream({ pieces: ["При", "вет", " 🌍"] });
  await attempt(
    async (exchange) => {
      await exchange.sendAll(events);
      exchange.end();
    },
    async (outcome) => {
      assert.equal(outcome.kind, "open");
      if (outcome.kind !== "open") return;
      const frames: Frame[] = [];
      const { promise, resolve } = Promise.withResolvers<string>();
      outcome.stream.attach({
        onFrames: (more) => void frames.push(...more),
        onEnd: () => resolve("end"),
        onError: ({ reason }) => resolve(reason),
      });
      assert.equal(await promise, "end");
      assert.equal(
        Buffer.concat(frames.map((frame) => frame.bytes)).toString(),
        Buffer.concat(events).toString(),
      );
      assert.ok(outcome.stream.reader.finished);
    },
  );
});

test("a connection that breaks after content is told to the listener, not to the attempt", async () => {
  await attempt(
    async (exchange) => {
      await exchange.sendAll(openAiStream({ pieces: ["a", "b"] }).slice(0, 2));
      exchange.destroy();
    },
    async (outcome) => {
      assert.equal(outcome.kind, "open");
      if (outcome.kind !== "open") return;
      const { promise, resolve } = Promise.withResolvers<string>();
      outcome.stream.attach({
        onFrames: () => undefined,
        onEnd: () => resolve("end"),
        onError: ({ reason }) => resolve(reason),
      });
      assert.match(await promise, /^closed/);
    },
  );
});

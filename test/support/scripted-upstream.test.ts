/** The scripted upstream does to the byte what a script says; tests of the gateway rest on that. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { anthropicMessage, anthropicStream } from "./anthropic-stream.ts";
import { openAiCompletion, openAiStream } from "./openai-stream.ts";
import { createGate, startScriptedUpstream, type Handler } from "./scripted-upstream.ts";

const post = (url: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}/v1/chat/completions?x=1`, {
    method: "POST",
    headers: { authorization: "Bearer k", "content-type": "application/json" },
    body: '{"model":"м"}',
    ...(signal === undefined ? {} : { signal }),
  });

async function started(
  t: { after(work: () => Promise<void>): void },
  script: Handler | readonly Handler[],
) {
  const upstream = await startScriptedUpstream(script);
  t.after(() => upstream.close());
  return upstream;
}

/** Everything the server sends on a bare socket until it closes. */
function rawAnswer(port: number): Promise<{ text: string; error: string | null }> {
  const { promise, resolve } = Promise.withResolvers<{ text: string; error: string | null }>();
  const socket = connect(port, "127.0.0.1", () =>
    socket.write("POST /v1 HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n"),
  );
  let text = "";
  let error: string | null = null;
  socket.on("data", (part) => (text += part.toString("latin1")));
  socket.on("error", (cause: NodeJS.ErrnoException) => (error = cause.code ?? "error"));
  socket.on("close", () => resolve({ text, error }));
  return promise;
}

test("a request is recorded as it was sent", async (t) => {
  const upstream = await started(t, (exchange) =>
    exchange.json(418, { ok: true }, { "x-teapot": "1" }),
  );
  const waiting = upstream.request(0);
  const response = await post(upstream.url);
  assert.equal(response.status, 418);
  assert.equal(response.headers.get("x-teapot"), "1");
  const request = await waiting;
  assert.equal(request.method, "POST");
  assert.equal(request.path, "/v1/chat/completions?x=1");
  assert.equal(request.headers.authorization, "Bearer k");
  assert.deepEqual(request.json(), { model: "м" });
  assert.equal(request.abortedAt, null);
});

test("a gate holds the next byte back until the test opens it", async (t) => {
  const gate = createGate();
  const whole = Buffer.from("data: Привет 👋\n\n");
  const upstream = await started(t, async (exchange) => {
    await exchange.send(whole.subarray(0, 9)); // inside a character
    await gate.wait;
    await exchange.send(whole.subarray(9));
    exchange.end();
  });
  const response = await post(upstream.url);
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assert.ok(response.body);
  const reader = response.body.getReader();
  const first = await reader.read();
  assert.deepEqual(Buffer.from(first.value ?? []), whole.subarray(0, 9));
  gate.open();
  const second = await reader.read();
  assert.deepEqual(Buffer.from(second.value ?? []), whole.subarray(9));
  assert.equal((await reader.read()).done, true);
});

test("the client's abort is seen, and sending afterwards does nothing", async (t) => {
  const reported = Promise.withResolvers<boolean>();
  const upstream = await started(t, async (exchange) => {
    await exchange.send("data: 1\n\n");
    await exchange.hang();
    reported.resolve(await exchange.send("data: 2\n\n"));
  });
  const abort = new AbortController();
  await post(upstream.url, abort.signal);
  abort.abort();
  assert.equal(await reported.promise, false);
  assert.equal(typeof upstream.requests[0]?.abortedAt, "number");
  await upstream.idle();
  assert.equal(upstream.openExchanges, 0);
});

test("a long list of events stops when the client leaves", async (t) => {
  const over = Promise.withResolvers<boolean>();
  const events = Array.from({ length: 200_000 }, (_, index) => `data: ${index}\n\n`);
  const upstream = await started(t, async (exchange) =>
    over.resolve(await exchange.sendAll(events)),
  );
  const abort = new AbortController();
  const response = await post(upstream.url, abort.signal);
  await response.body?.getReader().read();
  abort.abort();
  assert.equal(await over.promise, false);
});

test("our own destruction of a connection is no abort of the client", async (t) => {
  const upstream = await started(t, async (exchange) => {
    await exchange.send("data: 1\n\n");
    exchange.destroy();
  });
  const response = await post(upstream.url);
  await assert.rejects(response.text());
  await upstream.idle();
  assert.equal(upstream.requests[0]?.abortedAt, null);
});

test("halfClose ends the connection without ending the answer, reset aborts it, raw bypasses HTTP", async (t) => {
  const upstream = await started(t, [
    async (exchange) => {
      await exchange.send("abc");
      exchange.halfClose();
    },
    (exchange) => exchange.reset(),
    async (exchange) => {
      await exchange.raw("NONSENSE\r\n\r\n");
      exchange.destroy();
    },
  ]);
  const half = await rawAnswer(upstream.port);
  assert.equal(half.error, null);
  assert.match(half.text, /\r\n3\r\nabc\r\n$/); // one chunk, no terminating chunk
  assert.deepEqual(await rawAnswer(upstream.port), { text: "", error: "ECONNRESET" });
  assert.deepEqual(await rawAnswer(upstream.port), { text: "NONSENSE\r\n\r\n", error: null });
});

test("simultaneous requests get distinct places in the script", async (t) => {
  const upstream = await started(
    t,
    Array.from(
      { length: 8 },
      (_, place): Handler =>
        (exchange) =>
          exchange.json(200, { place }),
    ),
  );
  const answers = await Promise.all(
    Array.from({ length: 8 }, async () => (await post(upstream.url)).json()),
  );
  const places = answers
    .map((answer) => (answer as { place: number }).place)
    .toSorted((a, b) => a - b);
  assert.deepEqual(places, [0, 1, 2, 3, 4, 5, 6, 7]);
});

test("a request beyond the script and an error in a handler both fail the close", async () => {
  const beyond = await startScriptedUpstream([]);
  assert.equal((await post(beyond.url)).status, 500);
  await assert.rejects(beyond.close(), /was not in the script/);
  const throwing = await startScriptedUpstream(() => {
    throw new Error("assertion inside the script");
  });
  await assert.rejects(post(throwing.url));
  await assert.rejects(throwing.close(), /assertion inside the script/);
});

test("the openai builder emits one event per buffer in the order the vendor uses", () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const answer = {
    pieces: ["при", "вет"],
    toolCalls: [
      { id: "a", name: "f", arguments: ["{", "}"] },
      { id: "b", name: "g", arguments: ["{}"] },
    ],
    usage,
  };
  const events = openAiStream(answer).map((bytes) => bytes.toString());
  assert.equal(events.length, 1 + 2 + 2 + 3 + 1 + 1 + 1);
  assert.equal(events.at(-1), "data: [DONE]\n\n");
  const data = events
    .slice(0, -1)
    .map((text) => JSON.parse(text.slice(6)) as { choices: unknown[]; usage: unknown });
  assert.deepEqual(data.at(-1)?.choices, []);
  assert.deepEqual(data.at(-1)?.usage, usage);
  assert.ok(data.slice(0, -1).every((chunk) => chunk.usage === null && chunk.choices.length === 1));
  const whole = openAiCompletion(answer) as {
    choices: { finish_reason: string; message: { content: string } }[];
  };
  assert.equal(whole.choices[0]?.message.content, "привет");
  assert.equal(whole.choices[0]?.finish_reason, "tool_calls");
  assert.ok(openAiStream({ pieces: ["x"] }).every((bytes) => !bytes.includes("usage")));
});

test("the anthropic builder numbers its blocks and names its events", () => {
  const answer = {
    blocks: [
      { type: "thinking", pieces: ["hm"], signature: "sig" },
      { type: "text", pieces: ["a", "b"] },
      { type: "tool_use", id: "t", name: "f", pieces: ['{"x":', "1}"] },
    ],
    startUsage: { input_tokens: 5, output_tokens: 1 },
    usage: { output_tokens: 9 },
  } as const;
  const names = anthropicStream(answer).map(
    (bytes) => /^event: (\w+)\ndata: /.exec(bytes.toString())?.[1],
  );
  const block = (deltas: number) => [
    "content_block_start",
    ...Array.from({ length: deltas }, () => "content_block_delta"),
    "content_block_stop",
  ];
  assert.deepEqual(names, [
    "message_start",
    ...block(2),
    ...block(2),
    ...block(2),
    "message_delta",
    "message_stop",
  ]);
  assert.deepEqual(anthropicMessage(answer).content, [
    { type: "thinking", thinking: "hm", signature: "sig" },
    { type: "text", text: "ab" },
    { type: "tool_use", id: "t", name: "f", input: { x: 1 } },
  ]);
});

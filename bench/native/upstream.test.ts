/**
 * Protects: the scripted upstream answers in every protocol what the model says, so that a gateway
 * has its usual work.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileNative, NoCompiler, type NativePrograms } from "./compile-native.ts";
import {
  assertResponse,
  assertResponseStream,
  responseEvents,
} from "../../test/support/strict-response.ts";
import { startUpstream } from "./upstream.ts";

let native: NativePrograms | null = null;
try {
  native = compileNative();
} catch (error) {
  if (!(error instanceof NoCompiler)) throw error;
}
const skip = native === null ? "there is no C compiler here" : false;

const OPENAI = "/v1/chat/completions";
const ANTHROPIC = "/v1/messages";
const RESPONSES = "/v1/responses";

async function scene() {
  const upstream = await startUpstream(native?.upstream ?? "");
  return {
    upstream,
    ask: (path: string, model: string, more = {}) =>
      fetch(`http://127.0.0.1:${upstream.port}${path}`, {
        method: "POST",
        body: JSON.stringify({ model, ...more }),
      }),
    [Symbol.asyncDispose]: () => upstream.stop(),
  };
}

/** The `data:` objects of a stream; `[DONE]` stays a text. */
function events(text: string): unknown[] {
  const blocks = text.split("\n\n").filter((block) => block !== "");
  const data = blocks.map((block) => /^data: (.*)$/m.exec(block)?.[1] ?? "");
  return data.map((json) => (json === "[DONE]" ? json : JSON.parse(json)));
}

test("whole answers carry usage, in every protocol", { skip }, async () => {
  await using server = await scene();
  const completion = (await (await server.ask(OPENAI, "whole-0")).json()) as {
    object: string;
    usage: Record<string, number>;
  };
  assert.equal(completion.object, "chat.completion");
  assert.deepEqual(completion.usage, {
    prompt_tokens: 520,
    completion_tokens: 200,
    total_tokens: 720,
  });
  const message = (await (await server.ask(ANTHROPIC, "whole-0")).json()) as {
    type: string;
    usage: Record<string, number>;
  };
  assert.equal(message.type, "message");
  assert.deepEqual(message.usage, { input_tokens: 520, output_tokens: 200 });
  const response = assertResponse(await (await server.ask(RESPONSES, "whole-0")).json());
  assert.partialDeepStrictEqual(response, { status: "completed", usage: { total_tokens: 720 } });
});

test(
  "a response is streamed by the public reference, in pieces of 237 bytes with numbers of their own",
  { skip },
  async () => {
    await using server = await scene();
    for (const pieces of [1, 7, 200]) {
      const text = await (await server.ask(RESPONSES, `stream-${pieces}-0`)).text();
      const response = assertResponseStream(responseEvents(text));
      assert.partialDeepStrictEqual(response, {
        status: "completed",
        usage: { output_tokens: 200 },
      });
      const deltas = text.split("\n\n").filter((event) => event.includes('"delta":'));
      assert.equal(deltas.length, pieces);
      for (const delta of deltas) {
        const bytes = Buffer.byteLength(delta) + 2;
        assert.ok(bytes > 233 && bytes <= 237, `${bytes} bytes`);
      }
    }
  },
);

test(
  "a stream has as many pieces as asked for, each of 237 bytes, and ends with usage",
  { skip },
  async () => {
    await using server = await scene();
    const text = await (await server.ask(OPENAI, "stream-7-1")).text();
    const chunks = events(text) as {
      choices?: { delta: { content?: string } }[];
      usage?: object;
    }[];
    assert.equal(
      chunks.filter((chunk) => chunk.choices?.[0]?.delta.content !== undefined).length,
      7,
    );
    assert.equal(chunks.at(-1), "[DONE]");
    assert.deepEqual(chunks.at(-2)?.usage, {
      prompt_tokens: 520,
      completion_tokens: 200,
      total_tokens: 720,
    });
    const pieces = text.split("\n\n").slice(0, 7);
    assert.deepEqual(new Set(pieces.map((piece) => Buffer.byteLength(piece) + 2)), new Set([237]));

    const messages = events(await (await server.ask(ANTHROPIC, "stream-7-1")).text()) as {
      type: string;
    }[];
    const counted = Object.groupBy(messages, ({ type }) => type);
    assert.equal(counted["content_block_delta"]?.length, 7);
    assert.deepEqual(
      [messages[0]?.type, messages.at(-2)?.type, messages.at(-1)?.type],
      ["message_start", "message_delta", "message_stop"],
    );
  },
);

test(
  "a delay is waited for, and a model beyond 4 kB of text is not looked for",
  { skip },
  async () => {
    await using server = await scene();
    const startedMs = performance.now();
    await (await server.ask(OPENAI, "whole-50")).text();
    assert.ok(performance.now() - startedMs >= 50);
    const hidden = await fetch(`http://127.0.0.1:${server.upstream.port}${OPENAI}`, {
      method: "POST",
      body: JSON.stringify({ text: "x".repeat(5_000_000), model: "silent" }),
    });
    assert.equal(((await hidden.json()) as { object: string }).object, "chat.completion");
  },
);

test("a silent stream says one thing and goes on when it is told to", { skip }, async () => {
  await using server = await scene();
  const answers = await Promise.all(Array.from({ length: 20 }, () => server.ask(OPENAI, "silent")));
  const readers = answers.map((answer) => answer.body?.getReader());
  for (const reader of readers) {
    const first = await reader?.read();
    assert.equal(events(Buffer.from(first?.value ?? []).toString()).length, 1);
  }
  await readers.pop()?.cancel();
  await server.ask(OPENAI, "whole-0").then((answer) => answer.text());
  assert.ok(
    [19, 20].includes(await server.upstream.release()),
    "the one that left may not have been noticed yet",
  );
  for (const reader of readers) {
    let rest = "";
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
      rest += Buffer.from(piece.value).toString();
    assert.match(rest, /"usage".*\[DONE\]/s);
  }
});

/**
 * Guarantee: bytes pass unchanged but for the model's name, and a stream can be ended properly at
 * any point (contract §6, hazards §119).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { GOLDEN_MESSAGES } from "../../../test/support/golden-messages.ts";
import { randomMessage } from "../../../test/support/random-messages.ts";
import { sdkMessage } from "../../../test/support/sdk-message.ts";
import { sseEvent } from "../../../test/support/sse-event.ts";
import type { AnswerIdentity } from "../chat-dialect.ts";
import { createMessagesFrameReader } from "./create-frame-reader.ts";
import { createMessagesNativeWriter } from "./native-writer.ts";

type Json = Record<string, unknown>;

const IDENTITY: AnswerIdentity = {
  requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  created: 1,
  model: "sandbox-large",
  answerModel: null,
  promptTokens: 5,
  includeUsage: true,
};
const USAGE = { ...NO_USAGE, inputTokens: 5, cachedInputTokens: 2, outputTokens: 7 };

const named = (event: Json): Buffer => sseEvent(event, String(event["type"]));

/**
 * What the caller gets of these pieces of a stream, all of it delivered; `count` frames at most,
 * then the balance ends it.
 */
function write(stream: Buffer, identity = IDENTITY, count = Number.POSITIVE_INFINITY): Buffer {
  const frames = createMessagesFrameReader().push(stream);
  const writer = createMessagesNativeWriter(identity);
  const out: (Buffer | null)[] = [];
  // What the stream says of its usage is what is charged.
  const [charged = USAGE] = frames
    .toReversed()
    .flatMap(({ usage }) => (usage.kind === "valid" ? [usage.usage] : []));
  for (const frame of frames.slice(0, count))
    out.push(frame.kind === "done" ? writer.end(frame, charged) : writer.write(frame));
  if (count < frames.length) out.push(writer.limitStop(USAGE));
  return Buffer.concat(out.filter((bytes) => bytes !== null));
}

/**
 * The order that the protocol demands and that strict clients check; the SDK does not mind a block
 * that never ends.
 */
function assertOrder(stream: Buffer): void {
  const frames = createMessagesFrameReader().push(stream);
  const events = frames
    .map((frame) => frame.payload ?? {})
    .filter((event) => event["type"] !== "ping");
  assert.ok(frames.every((frame) => frame.kind === "data" || frame.kind === "done"));
  const order = events.map(({ type, index }) =>
    typeof index === "number" ? `${String(type)} ${index}` : String(type),
  );
  const blocks = new Set(events.flatMap(({ index }) => (typeof index === "number" ? [index] : [])));
  const expected = [...blocks].flatMap((index) => [
    `content_block_start ${index}`,
    `content_block_stop ${index}`,
  ]);
  assert.deepEqual(
    order.filter((step) => !step.startsWith("content_block_delta")),
    ["message_start", ...expected, "message_delta", "message_stop"],
  );
  for (const [at, step] of order.entries()) {
    if (!step.startsWith("content_block_delta")) continue;
    const index = step.slice(step.indexOf(" "));
    assert.ok(
      order.indexOf(`content_block_start${index}`) < at &&
        at < order.indexOf(`content_block_stop${index}`),
      order.join(),
    );
  }
}

for (const { name, events, whole } of GOLDEN_MESSAGES) {
  const stream = Buffer.concat(events.map(named));

  test(`bytes pass: ${name}`, () => {
    assert.deepEqual(write(stream), stream);
  });

  test(`only the model's name changes: ${name}`, async () => {
    const renamed = write(stream, { ...IDENTITY, answerModel: 'my "модель"' });
    assert.equal(
      renamed.toString(),
      stream.toString().replace('"claude-sonnet"', '"my \\"модель\\""'),
    );
    assert.equal((await sdkMessage(renamed))["model"], 'my "модель"');
  });

  test(`ended by the balance after any event, the official SDK takes it for a message that hit its limit: ${name}`, async () => {
    for (let count = 0; count < events.length; count += 1) {
      const ended = write(stream, IDENTITY, count);
      assertOrder(ended);
      const message = await sdkMessage(ended);
      const content = message["content"] as Json[];
      const reported = events.slice(0, count).some((event) => event["type"] === "message_delta");
      assert.equal(
        message["stop_reason"],
        reported ? whole["stop_reason"] : "max_tokens",
        `after ${count}`,
      );
      const begun = events
        .slice(0, count)
        .filter((event) => event["type"] === "content_block_start");
      assert.equal(content.length, begun.length);
      if (!reported) {
        const {
          output_tokens: output,
          input_tokens: input,
          cache_read_input_tokens: cached,
        } = message["usage"] as Json;
        assert.deepEqual([input, cached, output], [5, 2, 7]);
      }
    }
  });
}

test("any stream, ended by the balance anywhere: what was delivered is in the message, whole blocks and open ones", async () => {
  await fc.assert(
    fc.asyncProperty(randomMessage, fc.nat(), async ({ events }, random) => {
      const count = random % events.length;
      const ended = write(Buffer.concat(events.map(named)), IDENTITY, count);
      assertOrder(ended);
      const message = await sdkMessage(ended);
      const delivered = events.slice(0, count);
      const texts = (list: unknown[]) =>
        list.map((block) => (block as Json)["text"]).filter((text) => text !== undefined);
      assert.deepEqual(
        texts(message["content"] as Json[]),
        delivered.flatMap((event) => {
          const { type, index, content_block: block } = event;
          if (type !== "content_block_start" || (block as Json)["type"] !== "text") return [];
          const deltas = delivered.filter(
            (one) => one["type"] === "content_block_delta" && one["index"] === index,
          );
          return [deltas.map((one) => (one["delta"] as { text?: string }).text ?? "").join("")];
        }),
      );
      assert.equal(typeof message["stop_reason"], "string");
    }),
    { numRuns: 100 },
  );
});

test("a stream stopped before it said anything names itself", async () => {
  const message = await sdkMessage(createMessagesNativeWriter(IDENTITY).limitStop(USAGE));
  assert.deepEqual(
    [message["id"], message["model"], message["role"], message["content"]],
    ["msg_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b", "sandbox-large", "assistant", []],
  );
  const renamed = await sdkMessage(
    createMessagesNativeWriter({ ...IDENTITY, answerModel: "other" }).limitStop(USAGE),
  );
  assert.equal(renamed["model"], "other");
});

test("frames that were read ahead and not delivered are not ended", () => {
  const frames = createMessagesFrameReader().push(
    Buffer.concat((GOLDEN_MESSAGES[0]?.events ?? []).map(named)),
  );
  const writer = createMessagesNativeWriter(IDENTITY);
  for (const frame of frames.slice(0, 1)) writer.write(frame);
  assert.doesNotMatch(writer.limitStop(USAGE).toString(), /message_start|content_block_stop/);
});

test("events without a name get one, since the official SDKs skip them otherwise", async () => {
  const [golden] = GOLDEN_MESSAGES;
  const bare = Buffer.concat((golden?.events ?? []).map((event) => sseEvent(event)));
  await assert.rejects(sdkMessage(bare));
  assert.deepEqual(await sdkMessage(write(bare)), golden?.whole);
});

test("an answer whose connection just ended has no last bytes", () => {
  assert.equal(createMessagesNativeWriter(IDENTITY).end(null, USAGE), null);
});

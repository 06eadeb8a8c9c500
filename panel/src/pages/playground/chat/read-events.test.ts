/**
 * Protects: the events of an answer are read whole, wherever the network cuts them, and a network
 * that went away is noticed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvents } from "./read-events.ts";

const TEXT =
  ': keep-alive\r\n\r\nevent: message\r\ndata: {"text":"шлагбаум 🚧"}\r\n\r\ndata: one\ndata: two\n\ndata:[DONE]\n\n';
const EVENTS = ['{"text":"шлагбаум 🚧"}', "one\ntwo", "[DONE]"];

async function read(
  parts: readonly Uint8Array<ArrayBuffer>[],
): Promise<readonly [events: readonly string[], text: string]> {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  const events: string[] = [];
  let text = "";
  for await (const event of readEvents(body, (more) => (text += more))) events.push(event);
  return [events, text];
}

test("an answer cut at any byte gives the same events and the same text", async () => {
  const bytes = new TextEncoder().encode(TEXT);
  for (let at = 0; at <= bytes.length; at++) {
    assert.deepEqual(
      await read([bytes.slice(0, at), bytes.slice(at)]),
      [EVENTS, TEXT],
      `cut at ${at}`,
    );
  }
  assert.deepEqual(await read(Array.from(bytes, (byte) => Uint8Array.of(byte))), [EVENTS, TEXT]);
});

test("a line that stays silent is dead; one that says from time to time that it is there is not", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let cancelled = false;
  const line = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>>();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: line.resolve,
    cancel: () => void (cancelled = true),
  });
  const controller = await line.promise;
  const bytes = new TextEncoder();
  const events = readEvents(body, () => undefined);
  for (let quiet = 0; quiet < 10; quiet++) {
    const next = events.next();
    t.mock.timers.tick(30_000);
    controller.enqueue(bytes.encode(": keep-alive\n\ndata: still here\n\n"));
    assert.deepEqual(await next, { done: false, value: "still here" });
  }
  const next = events.next();
  t.mock.timers.tick(45_000);
  await assert.rejects(next, /silent/);
  assert.ok(cancelled, "nobody reads what comes later");
});

/** Protects: the events of an answer are read whole, wherever the network cuts them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readEvents } from "./read-events.ts";

const TEXT = ': keep-alive\r\n\r\nevent: message\r\ndata: {"text":"шлагбаум 🚧"}\r\n\r\ndata: one\ndata: two\n\ndata:[DONE]\n\n';
const EVENTS = ['{"text":"шлагбаум 🚧"}', "one\ntwo", "[DONE]"];

async function read(parts: readonly Uint8Array<ArrayBuffer>[]): Promise<readonly [events: readonly string[], text: string]> {
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
    assert.deepEqual(await read([bytes.slice(0, at), bytes.slice(at)]), [EVENTS, TEXT], `cut at ${at}`);
  }
  assert.deepEqual(await read(Array.from(bytes, (byte) => Uint8Array.of(byte))), [EVENTS, TEXT]);
});

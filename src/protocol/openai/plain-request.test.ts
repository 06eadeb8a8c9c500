/**
 * Guarantee: a request that is read from its bytes comes to what its exact reading does, and one of
 * the usual kind is read so.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ChatRequest, ChatRequestReading } from "../chat-request.ts";
import { readPlainRequest } from "./plain-request.ts";
import { readChatRequest, readChatRequestInSlices } from "./read-chat-request.ts";

const USER = { role: "user", content: 'Good\nmorning, "Пётр" \ud83d\ude00' };
const ASKED = { model: "vendor/model", messages: [USER] };

const bytesOf = (value: unknown): Buffer =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

const isPlain = (value: unknown): boolean => readPlainRequest(bytesOf(value)) !== null;

function partsOf(request: ChatRequest): unknown {
  const edits = [
    { model: "of-upstream", includeUsage: false },
    { model: request.model, includeUsage: true, stream: true },
    { model: "of-upstream", includeUsage: "never" },
  ] as const;
  return {
    fields: [request.model, request.stream, request.includeUsage, request.maxTokens, request.n],
    measure: [request.inputTokens, request.usualTokens, request.overheadTokens, request.images],
    raises: [request.cacheTtl, request.raises, request.hostedTools],
    text: request.promptText(),
    blocks: request.promptBlocks(),
    rewritten: edits.map((edit) => request.rewrite(edit).toString("latin1")),
    body: request.body,
    neutral: request.neutral(),
  };
}

/** Compares the readings, where it is read at all; whether it was. */
async function isReadAlike(value: unknown): Promise<boolean> {
  const bytes = bytesOf(value);
  if (readPlainRequest(bytes) === null) return false;
  const plain = readChatRequest(bytes);
  const exact: ChatRequestReading = await readChatRequestInSlices(bytes);
  assert.ok(exact.ok, exact.ok ? "" : `${exact.fault.message}: ${bytes.toString()}`);
  assert.ok(plain.ok);
  assert.deepEqual(partsOf(plain.request), partsOf(exact.request));
  return true;
}

test("the usual requests are read from their bytes", async () => {
  const turns = ["system", "user", "assistant", "developer"].map((role) => ({ ...USER, role }));
  for (const body of [
    ASKED,
    { ...ASKED, messages: turns },
    { messages: [{ content: "", role: "user" }], model: "m" },
    { ...ASKED, stream: true, stream_options: { include_usage: true }, max_tokens: 1000 },
    { ...ASKED, stream: false, stream_options: { include_usage: false } },
    { ...ASKED, max_tokens: 7, max_completion_tokens: 9, n: 128, temperature: 0.7, top_p: 1e-3 },
    { ...ASKED, seed: -5, stop: null, user: "Пётр", presence_penalty: 0.1, frequency_penalty: 2 },
    JSON.stringify({ ...ASKED, max_tokens: 10, stream_options: { include_usage: true } }, null, 2),
    `\n{ "model" : "m" , "messages" : [ { "role" : "user" , "content" : "${"x ".repeat(5000)}" } ] }\n`,
  ])
    assert.ok(await isReadAlike(body), JSON.stringify(body));
});

test("whatever is more than that is left to the exact reading", () => {
  const text = JSON.stringify(ASKED);
  const put = (more: string): string => text.replace("{", `{${more},`);
  const turn = (more: string): string => text.replace('"role"', `${more},"role"`);
  for (const body of [
    "",
    "{}",
    "[]",
    `${text}x`,
    text.slice(0, -1),
    text.replace(/}$/, ",}"),
    put('"model":"m"'),
    put('"Model":"m"'),
    put('"n":0'),
    put('"n":129'),
    put('"n":01'),
    put('"n":1.0'),
    put('"n":1e0'),
    put('"max_tokens":null'),
    put('"max_tokens":-1'),
    put('"max_tokens":1234567890123456'),
    put('"temperature":2.1'),
    put('"temperature":-0.1'),
    put('"temperature":""'),
    put('"temperature":"1"'),
    put('"temperature":null'),
    put('"stream":null'),
    put('"stream":truex'),
    put('"stream_options":{}'),
    put('"stream_options":{"include_usage":true,"include_usage":false}'),
    put('"stream_options":{"Include_Usage":true}'),
    put('"stop":["x"]'),
    put('"tools":[]'),
    put('"service_tier":"priority"'),
    put('"metadata":{}'),
    turn('"name":"x"'),
    turn('"role":"user"'),
    text.replace("vendor/model", ""),
    text.replace("vendor/model", "m".repeat(257)),
    text.replace("vendor/model", "\\u006d"),
    text.replace('"user"', '"tool"'),
    text.replace('"user"', '"usher"'),
    text.replace("Good", "\\x"),
    text.replace("Good", "\t"),
    { model: "m" },
    { messages: [USER] },
    { ...ASKED, messages: [] },
    { ...ASKED, messages: [{ role: "user" }] },
    { ...ASKED, messages: [{ role: "user", content: null }] },
    { ...ASKED, messages: [{ role: "user", content: [{ type: "text", text: "x" }] }] },
  ])
    assert.ok(!isPlain(body), JSON.stringify(body));
  const broken = bytesOf(text);
  broken[broken.indexOf("Good")] = 0xff;
  assert.equal(readPlainRequest(broken), null);
});

test("texts and numbers of any kind, in any order, are read alike", async () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }));
  const value = fc.oneof(fc.integer(), fc.double(), text, fc.constantFrom(null, true, false));
  /** One in so many is something else. */
  const mostly = <T>(usual: fc.Arbitrary<T>, weight = 12): fc.Arbitrary<unknown> =>
    fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: value });
  const message = fc.record({
    role: mostly(fc.constantFrom("user", "assistant", "system")),
    content: mostly(text),
  });
  const count = fc.integer({ min: 1, max: 128 });
  const body = fc.record(
    {
      model: mostly(fc.string({ unit: "grapheme-ascii", minLength: 1 })),
      messages: fc.array(message, { minLength: 1, maxLength: 3 }),
      stream: mostly(fc.boolean()),
      stream_options: mostly(fc.record({ include_usage: fc.boolean() })),
      max_tokens: mostly(count),
      max_completion_tokens: mostly(count),
      n: mostly(count),
      temperature: mostly(fc.double({ min: 0, max: 2, noNaN: true })),
      top_p: value,
      stop: value,
      user: value,
      seed: value,
      presence_penalty: value,
      frequency_penalty: value,
      reasoning_effort: value,
    },
    { requiredKeys: ["model", "messages"] },
  );
  let read = 0;
  await fc.assert(
    fc.asyncProperty(body, fc.nat(10), fc.nat(2), async (asked, turn, space) => {
      const members = Object.entries(asked);
      const turned = [...members.slice(turn), ...members.slice(0, turn)];
      if (await isReadAlike(JSON.stringify(Object.fromEntries(turned), null, space))) read += 1;
    }),
    { numRuns: 1500 },
  );
  assert.ok(read > 400, `${read} were read`);
});

test("one byte more, less or other makes no difference between the two readings", async () => {
  const text = bytesOf({ ...ASKED, max_tokens: 10, stream: true, temperature: 1.5 });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(text.length - 1),
      fc.nat(2),
      fc.constantFrom(...Buffer.from(' ,:{}[]"\\0159.-etn\0')),
      async (at, removed, byte) => {
        const changed = Buffer.concat([
          text.subarray(0, at),
          Buffer.from([byte]),
          text.subarray(at + removed),
        ]);
        await isReadAlike(changed.toString());
      },
    ),
    { numRuns: 3000 },
  );
});

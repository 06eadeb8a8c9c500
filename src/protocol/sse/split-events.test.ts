/**
 * Guarantee: however a stream is cut, the same events come out, and their bytes are the input,
 * unchanged (hazards §9, §136).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createEventSplitter, parseEvent, type SseEvent } from "./split-events.ts";

const LIMIT = 1024 * 1024;

function split(chunks: readonly Buffer[], limit = LIMIT): { events: SseEvent[]; rest: Buffer } {
  const splitter = createEventSplitter(limit);
  const events: SseEvent[] = [];
  for (const chunk of chunks) {
    const result = splitter.push(chunk);
    assert.equal(result.kind, "events");
    events.push(...result.events);
  }
  return { events, rest: Buffer.from(splitter.rest()) };
}

function fieldsOf(events: readonly SseEvent[]): [string | null, string | null][] {
  return events.map(({ event, data }) => [event, data]);
}

const STREAM = [
  ": привет\n\n",
  'data: {"content":"Здравствуй, мир 👋🏽 — ёж"}\n\n',
  'event: delta\r\ndata: {"a":1}\r\n\r\n',
  "data:one\ndata: two\ndata:  three\n\n",
  "event: x\rdata: 🙂\r\r",
  "id: 7\nretry: 10\ndata\n\n",
  "\n",
  "data: [DONE]\n\n",
].join("");
const FIELDS: [string | null, string | null][] = [
  [null, null],
  [null, '{"content":"Здравствуй, мир 👋🏽 — ёж"}'],
  ["delta", '{"a":1}'],
  [null, "one\ntwo\n three"],
  ["x", "🙂"],
  [null, ""],
  [null, null],
  [null, "[DONE]"],
];

test("fields are read by the rules of the standard", () => {
  const { events, rest } = split([Buffer.from(STREAM)]);
  assert.deepEqual(fieldsOf(events), FIELDS);
  assert.equal(rest.length, 0);
});

test("cut in two at every byte: the same events, the same bytes", () => {
  const bytes = Buffer.from(STREAM);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const { events, rest } = split([bytes.subarray(0, cut), bytes.subarray(cut)]);
    assert.deepEqual(fieldsOf(events), FIELDS, `cut at ${cut}`);
    assert.deepEqual(Buffer.concat([...events.map((event) => event.bytes), rest]), bytes);
  }
});

test("cut into single bytes: the same events, the same bytes", () => {
  const bytes = Buffer.from(STREAM);
  const { events, rest } = split(Array.from(bytes, (byte) => Buffer.from([byte])));
  assert.deepEqual(fieldsOf(events), FIELDS);
  assert.deepEqual(Buffer.concat([...events.map((event) => event.bytes), rest]), bytes);
});

test("any bytes, any cuts: nothing is lost, added or changed, and the cuts do not matter", () => {
  const piece = fc.oneof(
    fc.constantFrom("\n", "\r", "\r\n", "\n\n", "data: ", "event: error", ": ", "😀", "ё", "{}"),
    fc.string({ unit: "binary", maxLength: 5 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }),
      fc.array(fc.nat(200), { maxLength: 10 }),
      (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(""));
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)),
          bytes.length,
        ].toSorted((a, b) => a - b);
        const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
        const { events, rest } = split(chunks);
        assert.deepEqual(Buffer.concat([...events.map((event) => event.bytes), rest]), bytes);
        assert.deepEqual(fieldsOf(events), fieldsOf(split([bytes]).events));
      },
    ),
    { numRuns: 2000 },
  );
});

/**
 * The standard's own way, line by line over the whole text: what the short way over plain events
 * must come to as well.
 */
function readByTheStandard(text: string): [string | null, string | null][] {
  const events: [string | null, string | null][] = [];
  let event: string | null = null;
  let data: string | null = null;
  // What follows the last line end is no whole line.
  for (const line of text.split(/\r\n|\n|\r/).slice(0, -1)) {
    if (line === "") {
      events.push([event, data]);
      [event, data] = [null, null];
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") event = value;
    if (field === "data") data = data === null ? value : `${data}\n${value}`;
  }
  return events;
}

test("plain events among all others are read by the standard's rules, in whatever pieces they come", () => {
  const line = fc.constantFrom(
    "data: {}",
    "data: a",
    "data:  b ",
    "data:c",
    "data",
    "data: ",
    "event: x",
    "event:y",
    "event",
    ": z",
    "id: 1",
    "dat: d",
    "",
  );
  const lineEnd = fc.constantFrom(
    "\n",
    "\n",
    "\n",
    "\n",
    "\n\n",
    "\n\n",
    "\n\n",
    "\r\n",
    "\r\n\r\n",
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(line, lineEnd), { maxLength: 20 }), fc.nat(200), (lines, at) => {
      const text = lines.map(([reported, end]) => reported + end).join("");
      const bytes = Buffer.from(text);
      assert.deepEqual(fieldsOf(split([bytes]).events), readByTheStandard(text));
      assert.deepEqual(
        fieldsOf(split([bytes.subarray(0, at), bytes.subarray(at)]).events),
        readByTheStandard(text),
      );
    }),
    { numRuns: 3000 },
  );
});

test("an event is not kept waiting for the byte after its last CR", () => {
  const splitter = createEventSplitter(LIMIT);
  assert.equal(splitter.push(Buffer.from("data: a\r\r")).events.length, 1);
  assert.deepEqual(fieldsOf(splitter.push(Buffer.from("\ndata: b\n\n")).events), [[null, "b"]]);
});

test("how an earlier event's lines ended does not keep a later one waiting", () => {
  const splitter = createEventSplitter(LIMIT);
  for (const [bytes, count] of [
    ["data: a\r\n\r\n", 1],
    ["data: b\n\n", 1],
    ["\r", 1],
  ] as const)
    assert.equal(splitter.push(Buffer.from(bytes)).events.length, count, bytes);
});

test("where lines end with CR LF, an event keeps the LF of its blank line, however it is cut", () => {
  const sent = ["data: a\r\n\r\n", ": b\r\n\r\n", "data: [DONE]\r\n\r\n"];
  const bytes = Buffer.from(sent.join(""));
  for (let cut = 0; cut <= bytes.length; cut++) {
    for (let end = cut; end <= bytes.length; end++) {
      const { events } = split([
        bytes.subarray(0, cut),
        bytes.subarray(cut, end),
        bytes.subarray(end),
      ]);
      assert.deepEqual(
        events.map((event) => event.bytes.toString()),
        sent,
        `cut at ${cut} and ${end}`,
      );
    }
  }
});

test("a byte order mark before the first event is not part of its field", () => {
  const bytes = Buffer.from("\uFEFFdata: a\n\n");
  for (let cut = 0; cut <= 3; cut++)
    assert.deepEqual(fieldsOf(split([bytes.subarray(0, cut), bytes.subarray(cut)]).events), [
      [null, "a"],
    ]);
});

test("one event may not grow past the limit, in one chunk or in many; whole events before it still come", () => {
  const splitter = createEventSplitter(100);
  const result = splitter.push(Buffer.from(`data: a\n\ndata: ${"x".repeat(200)}\n\n`));
  assert.equal(result.kind, "too-large");
  assert.deepEqual(fieldsOf(result.events), [[null, "a"]]);
  const kept = splitter.rest().length;
  assert.equal(splitter.push(Buffer.from("data: b\n\n")).kind, "too-large");
  assert.equal(splitter.rest().length, kept);

  const slow = createEventSplitter(100);
  let kind = "events";
  let pushed = 0;
  for (; kind === "events"; pushed++) ({ kind } = slow.push(Buffer.from("x")));
  assert.equal(pushed, 101);

  const many = createEventSplitter(100);
  assert.equal(
    many.push(Buffer.from(`data: ${"x".repeat(50)}\n\n`.repeat(100))).events.length,
    100,
  );
});

test("what a broken-off stream leaves can be read", () => {
  const { rest } = split([Buffer.from("data: a\n\ndata: [DONE]\n")]);
  assert.equal(parseEvent(rest).data, "[DONE]");
});

/**
 * Guarantee: whatever way an upstream tells its usage in a stream, what it stated is charged, and
 * never more than what was true.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { promptTokensOf } from "../../kernel/token-usage.ts";
import type { UsageReading } from "../usage-reading.ts";
import { createChunkFrameReader } from "./create-frame-reader.ts";

interface Piece {
  readonly text?: string;
  readonly usage?: object;
  readonly choice?: number;
}

/** The last word on the usage that the frames of a stream carry. */
function lastUsage(pieces: readonly Piece[]): UsageReading {
  const reader = createChunkFrameReader();
  let last: UsageReading = { kind: "absent" };
  for (const { text, usage, choice = 0 } of pieces) {
    const choices = text === undefined ? [] : [{ index: choice, delta: { content: text } }];
    for (const frame of reader.push(
      Buffer.from(`data: ${JSON.stringify({ choices, usage: usage ?? null })}\n\n`),
    )) {
      if (frame.usage.kind !== "absent") last = frame.usage;
    }
  }
  return last;
}

function figures(pieces: readonly Piece[]): (number | string | undefined)[] {
  const reading = lastUsage(pieces);
  if (reading.kind === "absent" || reading.kind === "unbelievable") return [reading.kind];
  const side = reading.kind === "partial" ? [reading.known] : [];
  return [
    promptTokensOf(reading.usage),
    reading.usage.outputTokens,
    reading.usage.reasoningTokens,
    ...side,
  ];
}

const say = (prompt: number, completion: number, more: object = {}): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  ...more,
});

test("a later zero takes no stated figure away", () => {
  const zeros = { usage: say(0, 0, { total_tokens: 0 }) };
  const thought = { completion_tokens_details: { reasoning_tokens: 50 } };
  const whole = { usage: say(1000, 200, thought) };
  assert.deepEqual(figures([{ text: "a" }, whole, zeros]), [1000, 200, 50]);
  assert.deepEqual(
    figures([{ text: "a" }, whole, { usage: say(0, 210, thought) }]),
    [1000, 210, 50],
  );
  assert.deepEqual(
    figures([{ usage: say(1000, 0) }, { text: "a" }, { usage: say(1000, 7) }]),
    [1000, 7, 0],
  );
  assert.deepEqual(
    figures([{ text: "a" }, whole, { usage: say(900, 210) }]),
    [900, 210, 0],
    "another figure is another word",
  );
  assert.deepEqual(
    figures([{ text: "a" }, zeros]),
    [0, 0, 0],
    "a zero that takes nothing away is zero",
  );
  assert.deepEqual(
    figures([{ text: "a", usage: say(1000, 1) }, { text: " and more" }, zeros]),
    [1000, 0, 0, "input"],
    "what came after the figure was told is counted",
  );
});

test("a prompt told again without its kinds keeps them", () => {
  const cached = { prompt_tokens_details: { cached_tokens: 800 } };
  const reading = lastUsage([{ text: "a", usage: say(1000, 1, cached) }, { usage: say(1000, 7) }]);
  assert.ok(reading.kind === "valid");
  assert.deepEqual(
    [reading.usage.cachedInputTokens, reading.usage.inputTokens, reading.usage.outputTokens],
    [800, 200, 7],
  );
});

test("two halves of a usage are one", () => {
  assert.deepEqual(
    figures([{ usage: { prompt_tokens: 12 } }, { text: "a" }, { usage: { completion_tokens: 3 } }]),
    [12, 3, 0],
  );
});

const WORDS = [
  "Every",
  " piece",
  " of",
  " this",
  " answer",
  " tells",
  " the",
  " tokens",
  " of",
  " its",
  " own",
  " text",
  " alone",
  ".",
];

test("pieces that tell their own tokens alone are added up", () => {
  const each = WORDS.map((text) => ({ text, usage: say(40, 1) }));
  assert.deepEqual(figures(each), [40, WORDS.length, 0]);
  assert.deepEqual(
    figures([...each, { usage: say(40, 1) }]),
    [40, WORDS.length + 1, 0],
    "the end of the text is a token too",
  );
  const twos = [0, 2, 4, 6, 8, 10, 12].map((at) => ({
    text: `${WORDS[at]}${WORDS[at + 1]}`,
    usage: say(at === 0 ? 40 : 0, 2),
  }));
  assert.deepEqual(figures(twos), [40, WORDS.length, 0]);
});

test("running totals, placeholders and corrected totals are not added up", () => {
  const totals = WORDS.map((text, index) => ({ text, usage: say(40, index + 1) }));
  assert.deepEqual(figures(totals), [40, WORDS.length, 0]);
  const ones = WORDS.map((text) => ({ text, usage: say(40, 1) }));
  assert.deepEqual(
    figures([...ones, { usage: say(40, 14) }]),
    [40, 14, 0],
    "a total at the end is the total",
  );
  const letters = [...WORDS.join("")].map((text, index) => ({
    text,
    usage: say(40, Math.floor(index / 4) + 1),
  }));
  assert.deepEqual(
    figures(letters),
    [40, Math.ceil(WORDS.join("").length / 4), 0],
    "pieces smaller than a token",
  );
  const corrected = [...totals.slice(0, -1), { text: ".", usage: say(40, 12) }];
  assert.deepEqual(figures(corrected), [40, 12, 0], "an estimate that is corrected at the end");
  const choices = WORDS.map((text, index) => ({
    text,
    choice: index % 2,
    usage: say(40, Math.floor(index / 2) + 1),
  }));
  assert.deepEqual(figures(choices), [40, 7, 0], "of several choices");
  const some = WORDS.flatMap((text, index) => [
    { text, usage: say(40, index + 1) },
    { text: " again" },
  ]);
  assert.deepEqual(figures([...some, { usage: say(40, 30) }]), [40, 30, 0]);
});

test("true running totals are never told as more, however the text is cut into pieces", () => {
  const piece = fc.record({
    text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    tokens: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), (pieces) => {
      let total = 0;
      const stream = pieces.map(({ text, tokens }) => ({ text, usage: say(5, (total += tokens)) }));
      assert.deepEqual(figures(stream), [5, total, 0]);
    }),
  );
});

/**
 * Protects: what an answer costs, for every kind of usage an upstream may report
 * (hazards §3, §4, §5, §17).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatModel } from "../../catalogue/catalogue.ts";
import type { ChatPrice } from "../../contract/price/chat-price.ts";
import type { Nano } from "../../kernel/money.ts";
import type { TokenUsage } from "../../kernel/token-usage.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { ABSENT_USAGE, type UsageReading } from "../../protocol/usage-reading.ts";
import { finalCharge } from "./final-charge.ts";

const PRICE: ChatPrice = {
  input: 2_000_000n as Nano,
  cachedInput: 1_000_000n as Nano,
  cacheWrite5m: 2_000_000n as Nano,
  cacheWrite1h: 2_000_000n as Nano,
  output: 5_000_000n as Nano,
  reasoning: 5_000_000n as Nano,
  image: 0n as Nano,
  request: 7n as Nano,
};
const MODEL: ChatModel = {
  id: "m",
  type: "chat",
  endpoints: ["chat.completions"],
  contextTokens: 1000,
  maxOutputTokens: 100,
  reasoning: false,
  imageTokens: 10,
  price: PRICE,
  routes: [],
};
const SUBJECT = {
  model: MODEL,
  limitTokens: 100,
  use: null,
  asked: null,
  prompt: { images: 0, overheadTokens: 3, promptText: () => "p" },
  promptTokens: null,
  countFactor: null,
  cachedTokens: () => 0,
};
const HEARD = { anything: true, text: "12345" };
const SILENCE = { anything: false, text: "" };
/** One token per character. */
const count = async (text: string): Promise<number> => text.length;

function stated(usage: Partial<TokenUsage>, samplings = 1): UsageReading {
  return { kind: "valid", usage: { ...NO_USAGE, ...usage }, samplings };
}

function halfReported(known: "input" | "output", usage: Partial<TokenUsage>): UsageReading {
  return { kind: "partial", known, usage: { ...NO_USAGE, ...usage }, samplings: 1 };
}

test("the upstream's own usage is the price, tokenizer or not", async () => {
  const charge = await finalCharge(
    SUBJECT,
    stated({ inputTokens: 10, cachedInputTokens: 4, outputTokens: 20 }),
    HEARD,
    count,
  );
  assert.equal(charge.priceNano, 10n * 2n + 4n + 20n * 5n + 7n);
  assert.equal(charge.usageSource, "upstream");
});

test("a usage with a detail that was cut to fit is believed, and its note goes along", async () => {
  const reading = stated({ inputTokens: 10, outputTokens: 20, reasoningTokens: 20 });
  const charge = await finalCharge(
    SUBJECT,
    { ...reading, note: "21 reasoning tokens do not fit" } as UsageReading,
    HEARD,
    count,
  );
  assert.equal(charge.priceNano, 10n * 2n + 20n * 5n + 7n);
  assert.deepEqual(
    [charge.usageSource, charge.suspicion, charge.note],
    ["upstream", null, "21 reasoning tokens do not fit"],
  );
});

test("sound and images count for the context window like all of the prompt", async () => {
  const media = { audioInput: 600, imageInput: 600, audioOutput: 0, imageOutput: 0 };
  const charge = await finalCharge(SUBJECT, stated({ outputTokens: 20, media }), HEARD, count);
  assert.equal(charge.usageSource, "counted");
  assert.match(charge.suspicion ?? "", /input of 1200 tokens is above/);
});

test("what was written for an hour costs that, though Chat Completions do not tell for how long", async () => {
  const model = { ...MODEL, price: { ...PRICE, cacheWrite1h: 9_000_000n as Nano } };
  const written = stated({ cacheWrite5mTokens: 10 });
  const priceOf = async (writesLive: "1h" | null, reading = written): Promise<bigint> =>
    (await finalCharge({ ...SUBJECT, model, writesLive }, reading, HEARD, count)).priceNano;
  assert.equal(await priceOf("1h"), 10n * 9n + 7n);
  assert.equal(await priceOf(null), 10n * 2n + 7n);
  assert.equal(
    await priceOf("1h", stated({ cacheWrite5mTokens: 10, cacheWrite1hTokens: 1 })),
    10n * 2n + 9n + 7n,
    "the answer tells",
  );
});

test("an explicit zero is zero, not missing", async () => {
  const charge = await finalCharge(SUBJECT, stated({}), HEARD, count);
  assert.equal(charge.priceNano, 7n);
  assert.equal(charge.usageSource, "upstream");
});

test("a missing usage is counted from what was delivered", async () => {
  const charge = await finalCharge(SUBJECT, { kind: "absent" }, HEARD, count);
  assert.equal(charge.priceNano, 4n * 2n + 5n * 5n + 7n);
  assert.equal(charge.usageSource, "counted");
});

test("nothing delivered and nothing reported costs nothing, not even the price of a request", async () => {
  const charge = await finalCharge(SUBJECT, { kind: "absent" }, SILENCE, count);
  assert.equal(charge.priceNano, 0n);
  assert.equal(charge.usageSource, "none");
});

test("nonsense is counted instead, and reported", async () => {
  const charge = await finalCharge(
    SUBJECT,
    { kind: "unbelievable", reason: "negative" },
    HEARD,
    count,
  );
  assert.equal(charge.usageSource, "counted");
  assert.equal(charge.suspicion, "negative");
  assert.equal(charge.disbelievedNano, 0n);
});

for (const [what, usage] of [
  ["more output than was asked for", { inputTokens: 4, outputTokens: 101 }],
  ["more input than the context window", { inputTokens: 1001, outputTokens: 5 }],
] as const) {
  test(`${what} is not believed: counted, and the difference is the operator's`, async () => {
    const charge = await finalCharge(SUBJECT, stated(usage), HEARD, count);
    assert.equal(charge.priceNano, 40n);
    assert.equal(
      charge.disbelievedNano,
      BigInt(usage.inputTokens) * 2n + BigInt(usage.outputTokens) * 5n + 7n - 40n,
    );
    assert.ok(charge.suspicion !== null);
  });
}

test("whichever class the input was counted into, it is read into one context window", async () => {
  for (const name of [
    "inputTokens",
    "cachedInputTokens",
    "cacheWrite5mTokens",
    "cacheWrite1hTokens",
  ] as const) {
    const charge = await finalCharge(
      SUBJECT,
      stated({ inputTokens: 1, [name]: 1001, outputTokens: 5 }),
      HEARD,
      count,
    );
    assert.deepEqual([name, charge.usageSource, charge.priceNano], [name, "counted", 40n]);
  }
});

test("an upstream that ran the model several times for one answer may have read as many context windows, and no more", async () => {
  const twice = await finalCharge(
    SUBJECT,
    stated({ inputTokens: 2000, outputTokens: 200 }, 2),
    HEARD,
    count,
  );
  assert.deepEqual([twice.usageSource, twice.priceNano], ["upstream", 2000n * 2n + 200n * 5n + 7n]);
  const more = await finalCharge(
    SUBJECT,
    stated({ inputTokens: 2001, outputTokens: 5 }, 2),
    HEARD,
    count,
  );
  assert.deepEqual([more.usageSource, more.priceNano], ["counted", 40n]);
});

test("of a usage of which one side was said, that side counts as it was said, and the other is counted", async () => {
  const input = await finalCharge(
    SUBJECT,
    halfReported("input", { inputTokens: 10, cachedInputTokens: 6 }),
    HEARD,
    count,
  );
  assert.deepEqual([input.usageSource, input.priceNano], ["counted", 10n * 2n + 6n + 5n * 5n + 7n]);
  const output = await finalCharge(
    SUBJECT,
    halfReported("output", { outputTokens: 0 }),
    HEARD,
    count,
  );
  assert.deepEqual([output.usageSource, output.priceNano], ["counted", 4n * 2n + 7n]);
});

test("half a usage that cannot be true is counted, and reported", async () => {
  const charge = await finalCharge(
    SUBJECT,
    halfReported("input", { inputTokens: 1001 }),
    HEARD,
    count,
  );
  assert.equal(charge.priceNano, 40n);
  assert.match(charge.suspicion ?? "", /input of 1001 tokens/);
});

test("half a usage of an answer of which nothing was delivered costs nothing", async () => {
  const charge = await finalCharge(
    SUBJECT,
    halfReported("input", { inputTokens: 10 }),
    SILENCE,
    count,
  );
  assert.equal(charge.priceNano, 0n);
});

test("a figure beyond every ledger neither throws nor is booked", async () => {
  const charge = await finalCharge(
    SUBJECT,
    stated({ inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: Number.MAX_SAFE_INTEGER }),
    HEARD,
    count,
  );
  assert.equal(charge.priceNano, 40n);
});

test("a count never passes what was asked for", async () => {
  const charge = await finalCharge(
    SUBJECT,
    { kind: "absent" },
    { anything: true, text: "x".repeat(500) },
    count,
  );
  assert.equal(charge.usage.outputTokens, 100);
});

test("a prompt is never counted beyond the context window that it was read in", async () => {
  const prompt = { ...SUBJECT.prompt, promptText: () => "x".repeat(999) };
  const charge = await finalCharge({ ...SUBJECT, prompt }, { kind: "absent" }, HEARD, count);
  assert.equal(charge.usage.inputTokens, 1000);
});

test("images cost the same, whether the upstream counted the tokens or we did", async () => {
  const subject = {
    ...SUBJECT,
    model: { ...MODEL, price: { ...PRICE, image: 11n as Nano } },
    prompt: { ...SUBJECT.prompt, images: 2 },
  };
  const readings = [
    stated({}),
    { kind: "absent" },
    halfReported("input", {}),
    halfReported("output", {}),
  ] as const;
  const prices = await Promise.all(
    readings.map(async (reading) => (await finalCharge(subject, reading, HEARD, count)).priceNano),
  );
  assert.deepEqual(prices, [7n + 22n, 40n + 22n, 25n + 7n + 22n, 8n + 7n + 22n]);
});

test("a count goes by the factor of the route's model, and what was told to be cached of the prompt is counted as that", async () => {
  const factor = { input: { digits: 15n, scale: 1 }, output: { digits: 2n, scale: 0 } };
  const subject = { ...SUBJECT, promptTokens: 41, countFactor: factor };
  const delivered = { anything: true, text: "x".repeat(7) };
  const count = async (text: string): Promise<number> => text.length;
  const plain = await finalCharge(subject, ABSENT_USAGE, delivered, count);
  assert.deepEqual(
    [plain.usage, plain.usageSource],
    [{ ...NO_USAGE, inputTokens: 62, outputTokens: 14 }, "counted"],
  );
  const cached = await finalCharge(
    { ...subject, cachedTokens: () => 50 },
    ABSENT_USAGE,
    delivered,
    count,
  );
  assert.deepEqual(
    [cached.usage, cached.usageSource],
    [
      { ...NO_USAGE, inputTokens: 12, cachedInputTokens: 50, outputTokens: 14 },
      "counted-with-cache",
    ],
  );
  assert.ok(cached.priceNano < plain.priceNano);
  const reported = {
    kind: "partial" as const,
    known: "input" as const,
    samplings: 1,
    usage: { ...NO_USAGE, inputTokens: 3, cachedInputTokens: 4 },
  };
  const known = await finalCharge(
    { ...subject, cachedTokens: () => 50 },
    reported,
    delivered,
    count,
  );
  assert.deepEqual(
    [known.usage.inputTokens, known.usage.cachedInputTokens, known.usageSource],
    [3, 4, "counted"],
  );
});

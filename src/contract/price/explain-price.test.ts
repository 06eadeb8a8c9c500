/**
 * Guarantee: the explanation of a price comes to the very price that is charged, whatever the
 * figures.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Nano } from "../../kernel/money.ts";
import { NO_USAGE, type TokenUsage } from "../../kernel/token-usage.ts";
import type { ChatPrice } from "./chat-price.ts";
import type { Decimal } from "./decimal.ts";
import type { TaskPrice } from "./task-price.ts";
import { explainChatPrice, explainTaskPrice } from "./explain-price.ts";
import { priceChat } from "./price-chat.ts";
import { priceTask } from "./price-task.ts";

const below = (n: number): number => Math.floor(Math.random() * n);
const some = (n: number): Nano => BigInt(below(2) * below(n)) as Nano;

test("a chat answer's lines add up to its price, rounded up once", () => {
  for (let round = 0; round < 500; round++) {
    const price = Object.fromEntries(
      [
        "input",
        "cachedInput",
        "cacheWrite5m",
        "cacheWrite1h",
        "output",
        "reasoning",
        "image",
        "request",
      ].map((what) => [what, some(1e12)]),
    ) as unknown as ChatPrice;
    const outputTokens = below(100_000);
    const usage: TokenUsage = {
      inputTokens: below(1e6),
      cachedInputTokens: below(1e5),
      cacheWrite5mTokens: below(2) * below(1e5),
      cacheWrite1hTokens: below(2) * below(1e5),
      outputTokens,
      reasoningTokens: below(outputTokens + 1),
      images: below(4),
    };
    const explained = explainChatPrice({ price }, usage);
    assert.equal(explained.priceNano, priceChat({ price }, usage));
    assert.ok(explained.lines.every(({ amount }) => amount.digits > 0n));
  }
  const plain = {
    input: 150n,
    cachedInput: 0n,
    cacheWrite5m: 0n,
    cacheWrite1h: 0n,
    output: 600n,
    reasoning: 600n,
    image: 0n,
    request: 0n,
  };
  const { lines, exact, priceNano } = explainChatPrice(
    { price: plain as unknown as ChatPrice },
    { ...NO_USAGE, inputTokens: 3, outputTokens: 2 },
  );
  assert.deepEqual(
    lines.map(({ what, amount }) => [what, amount]),
    [
      ["input", { digits: 450n, scale: 6 }],
      ["output", { digits: 1200n, scale: 6 }],
    ],
  );
  assert.deepEqual([exact, priceNano], [{ digits: 1650n, scale: 6 }, 1n]);
});

test("a task's quantity, amount and multipliers come to its price", () => {
  const by = (digits: bigint, scale: number): Decimal => ({ digits, scale });
  const price: TaskPrice = {
    unit: "second",
    quantity: { kind: "parameter", parameter: "duration" },
    amount: {
      kind: "by",
      parameter: "resolution",
      values: new Map([["720p", { kind: "amount", perUnitNano: 8_000_000_001n as Nano }]]),
    },
    multiply: [
      { when: new Map([["sound", "true"]]), by: by(15n, 1) },
      { when: new Map([["fast", "true"]]), by: by(2n, 0) },
    ],
  };
  for (const parameters of [
    { duration: 4.5, resolution: "720p", sound: true },
    { duration: "5", resolution: "720p" },
    { duration: 7, resolution: "720p", sound: true, fast: true },
  ]) {
    const explained = explainTaskPrice(price, parameters);
    const quote = priceTask(price, parameters);
    assert.ok(quote.kind === "priced" && explained !== null);
    assert.equal(explained.priceNano, quote.amountNano);
    assert.equal(
      explained.multipliers.length,
      ("sound" in parameters ? 1 : 0) + ("fast" in parameters ? 1 : 0),
    );
  }
  assert.equal(explainTaskPrice(price, { duration: 5, resolution: "4K" }), null);
});

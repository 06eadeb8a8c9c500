/**
 * Guards the declarative price of tasks: exact for every parameter it speaks of, and never zero for
 * what it does not know.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { nano, parseRoubles } from "../../kernel/money.ts";
import type { AmountTable, TaskPrice } from "./task-price.ts";
import { parseDecimal } from "./decimal.ts";
import { priceTask } from "./price-task.ts";

function amount(text: string): AmountTable {
  const perUnitNano = parseRoubles(text);
  assert.ok(perUnitNano !== null);
  return { kind: "amount", perUnitNano };
}

function decimal(text: string) {
  const value = parseDecimal(text);
  assert.ok(value !== null);
  return value;
}

const VIDEO: TaskPrice = {
  unit: "second",
  quantity: { kind: "parameter", parameter: "duration" },
  amount: {
    kind: "by",
    parameter: "resolution",
    values: new Map<string, AmountTable>([
      ["480p", amount("4")],
      ["720p", amount("8")],
      [
        "1080p",
        {
          kind: "by",
          parameter: "mode",
          values: new Map([
            ["std", amount("12")],
            ["pro", amount("16.5")],
          ]),
        },
      ],
    ]),
  },
  multiply: [
    { when: new Map([["generateAudio", "true"]]), by: decimal("2") },
    {
      when: new Map([
        ["mode", "pro"],
        ["fixedLens", "false"],
      ]),
      by: decimal("0.75"),
    },
  ],
};

test("golden table: quantity × nested amounts × every multiplier whose conditions all hold", () => {
  for (const [parameters, expected] of [
    [{ duration: 5, resolution: "480p" }, "20"],
    [{ duration: "10", resolution: "720p" }, "80"],
    [{ duration: 7.5, resolution: "720p" }, "60"],
    [{ duration: 4, resolution: "1080p", mode: "std" }, "48"],
    [{ duration: 4, resolution: "1080p", mode: "pro" }, "66"],
    [{ duration: 4, resolution: "1080p", mode: "pro", fixedLens: false }, "49.5"],
    [
      { duration: 4, resolution: "1080p", mode: "pro", fixedLens: false, generateAudio: true },
      "99",
    ],
    [{ duration: 4, resolution: "480p", generateAudio: "true" }, "32"],
    // Fifteen digits after the point, as a double can have: 16.493827156493828, rounded up once.
    [{ duration: 4.123456789123457, resolution: "480p" }, "16.493827157"],
    [{ duration: 0, resolution: "480p" }, "0"],
  ] as const) {
    assert.deepEqual(
      priceTask(VIDEO, parameters),
      { kind: "priced", amountNano: parseRoubles(expected) },
      JSON.stringify(parameters),
    );
  }
});

test("what the price does not know is unpriced and names the parameter; it is never free", () => {
  for (const [parameters, parameter] of [
    [{ resolution: "480p" }, "duration"],
    [{ duration: "auto", resolution: "480p" }, "duration"],
    [{ duration: -1, resolution: "480p" }, "duration"],
    [{ duration: Number.NaN, resolution: "480p" }, "duration"],
    [{ duration: 1e21, resolution: "480p" }, "duration"],
    [{ duration: [5], resolution: "480p" }, "duration"],
    [{ duration: 5 }, "resolution"],
    [{ duration: 5, resolution: "4k" }, "resolution"],
    [{ duration: 5, resolution: "__proto__" }, "resolution"],
    [{ duration: 5, resolution: "1080p" }, "mode"],
  ] as const) {
    assert.deepEqual(
      priceTask(VIDEO, parameters),
      { kind: "unpriced", parameter },
      JSON.stringify(parameters),
    );
  }
});

test("a fixed quantity prices a task without parameters", () => {
  const image: TaskPrice = {
    unit: "image",
    quantity: { kind: "number", value: decimal("2.5") },
    amount: amount("4.5"),
    multiply: [],
  };
  assert.deepEqual(priceTask(image, {}), { kind: "priced", amountNano: parseRoubles("11.25") });
});

test("the product is exact and rounded up once, whatever the fractions", () => {
  const digits = fc.bigInt({ min: 0n, max: 999_999_999n });
  const scales = fc.integer({ min: 0, max: 9 });
  fc.assert(
    fc.property(
      digits,
      scales,
      digits,
      digits,
      scales,
      digits,
      scales,
      (quantity, quantityScale, perUnit, first, firstScale, second, secondScale) => {
        const price: TaskPrice = {
          unit: "second",
          quantity: { kind: "number", value: { digits: quantity, scale: quantityScale } },
          amount: { kind: "amount", perUnitNano: nano(perUnit) },
          multiply: [
            { when: new Map([["a", "1"]]), by: { digits: first, scale: firstScale } },
            { when: new Map([["a", "1"]]), by: { digits: second, scale: secondScale } },
          ],
        };
        const denominator = 10n ** BigInt(quantityScale + firstScale + secondScale);
        const exact = quantity * perUnit * first * second;
        fc.pre(exact / denominator < 2n ** 62n);
        const quote = priceTask(price, { a: 1 });
        return (
          quote.kind === "priced" &&
          quote.amountNano * denominator >= exact &&
          (quote.amountNano - 1n) * denominator < exact
        );
      },
    ),
  );
});

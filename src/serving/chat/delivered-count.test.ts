/**
 * Protects: what is saved for the case of a crash is never more than what was delivered, however
 * the upstream cuts its text (contract §6).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens } from "../../protocol/count-tokens.ts";
import { createDeliveredCount } from "./delivered-count.ts";

const TEXTS = [
  "Государственная организация предоставляет возможность получить услуги, не выходя из дома. ",
  "internationalization responsibilities nevertheless ",
  "if (a) {\n        return b;\n    }\n",
  "你好，世界。今天天气很好，我们去公园散步吧。",
  "👩‍👩‍👧‍👦 🇷🇺 ok ",
];

test("counted portion by portion, a text has at most its tokens, and nearly all of them", async () => {
  for (const text of TEXTS.map((each) => each.repeat(12))) {
    for (const step of [1, 7, 40, 300]) {
      const count = createDeliveredCount(countTokens);
      for (let end = step; end < text.length + step; end += step) {
        const sofar = text.slice(0, end);
        const exact = await countTokens(sofar);
        assert(
          count.atLeast(sofar.length) <= exact + 1,
          `${JSON.stringify(text.slice(0, 20))} before its count`,
        );
        await count.update(sofar);
        // Without spaces a portion may end inside a token.
        const slack = text.includes(" ") ? 1 : 1 + end / 32;
        assert(
          count.atLeast(sofar.length) <= exact + slack,
          `${JSON.stringify(text.slice(0, 20))} at ${end} in steps of ${step}`,
        );
      }
      assert(
        count.atLeast(text.length) >= (await countTokens(text)) * 0.85,
        JSON.stringify(text.slice(0, 20)),
      );
    }
  }
});

test("a count that fails changes nothing and is made up for", async () => {
  let broken = true;
  const count = createDeliveredCount(async (text) => {
    if (broken) throw new Error("no tokenizer");
    return text.length;
  });
  await assert.rejects(count.update("one two three"));
  assert.equal(count.atLeast(13), 0);
  broken = false;
  await count.update("one two three");
  assert.equal(count.atLeast(13), "one two".length);
});

test("what was only glanced at counts as no more than it is, and as more than nothing", async () => {
  for (const text of TEXTS) {
    const count = createDeliveredCount(countTokens);
    count.glance(text);
    const exact = await countTokens(text);
    const glanced = count.atLeast(text.length);
    assert(glanced >= 1 && glanced <= exact + 1, `${glanced} of ${exact}: ${text}`);
    await count.update(text);
    assert(count.atLeast(text.length) <= exact + 1, text);
  }
});

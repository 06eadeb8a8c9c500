/**
 * Guarantee: what was delivered without usage is counted right, with bounded work, whatever the
 * text (contract §6).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens as reference } from "gpt-tokenizer/encoding/o200k_base";
import { countTexts, countTokens } from "./count-tokens.ts";
import { tokenCorpora } from "../../test/support/token-corpora.ts";

const exact = (text: string) => reference(text, { disallowedSpecial: new Set() });

test("ordinary texts are counted exactly, short and long", async () => {
  assert.equal(await countTokens(""), 0);
  const ordinary = tokenCorpora().filter((corpus) => corpus.ordinary);
  for (const { name, text } of ordinary) assert.equal(await countTokens(text), exact(text), name);
  const prose = ordinary
    .filter(({ name }) => /Russian news|English story/.test(name))
    .map(({ text }) => text.replaceAll("\n", " "))
    .join(" ");
  const long = `${prose} `.repeat(60);
  assert.ok(long.length > 60_000);
  assert.equal(await countTokens(long), exact(long));
});

test("unbroken runs are off by a token for each cut at most", async () => {
  for (const { name, text } of tokenCorpora()) {
    const cuts = Math.ceil(text.length / 700);
    const difference = Math.abs((await countTokens(text)) - exact(text));
    assert.ok(difference <= 3 * cuts, `${name}: off by ${difference}`);
  }
});

test("names of special tokens are plain text and never throw", async () => {
  const text = "<|endoftext|><|im_start|>system<|im_end|><|endofprompt|>";
  assert.ok((await countTokens(text)) > 10);
});

test("a text beyond the bound is sampled: its count is near, and so is the work", async () => {
  const unit = tokenCorpora().find(({ name }) => name === "Russian news")?.text ?? "";
  const long = unit.repeat(500);
  const expected = exact(unit) * 500;
  const counted = await countTokens(long);
  assert.ok(Math.abs(counted - expected) / expected < 0.03, `${counted} for ${expected}`);
  assert.equal(await countTokens(long), counted);
});

test("a hostile run of a million characters is counted all the same", async () => {
  // Uncut it would take the tokenizer hours.
  const counted = await countTokens("ё".repeat(1_000_000));
  assert.ok(counted > 100_000 && counted <= 1_000_000, String(counted));
});

test("texts in pieces are counted as their whole, all of it, and no further than to the bound", async () => {
  const ordinary = tokenCorpora().filter((corpus) => corpus.ordinary);
  const all = ordinary.map(({ text }) => text).join("\n");
  const words = all.match(/.{1,7}/gsu) ?? [];
  assert.equal(await countTexts(words), await countTokens(all));
  const many = Array.from({ length: 120 }, () => all);
  const counted = await countTexts(many);
  const whole = exact(many.join(""));
  assert.ok(
    many.join("").length > 300_000 && Math.abs(counted - whole) <= 120,
    `${counted} for ${whole}`,
  );
  let asked = 0;
  function* endless(): Generator<string> {
    for (;;) {
      asked += 1;
      yield all;
    }
  }
  const stopped = await countTexts(endless(), 50_000);
  assert.ok(stopped > 50_000 && stopped < 52_000 && asked < 100);
  assert.equal(await countTexts([]), 0);
});

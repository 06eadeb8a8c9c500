/** Guarantee: what was delivered without usage is counted right, with bounded work, whatever the text (contract §6). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countTokens as reference } from "gpt-tokenizer/encoding/o200k_base";
import { countTokens } from "./count-tokens.ts";
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

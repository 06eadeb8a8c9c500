/**
 * The end of an answer is made once: what was kept of it is what is sent, and a failure in making
 * it is not hidden by a second try.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { composeOnce } from "./answer-end.ts";

test("the first usage makes the end, later ones get it", () => {
  let made = 0;
  const compose = composeOnce((usage) => {
    made += 1;
    return { streamed: true, last: Buffer.from(String(usage.outputTokens)), broken: false };
  });
  assert.equal(compose({ ...NO_USAGE, outputTokens: 7 }).last.toString(), "7");
  assert.equal(compose(NO_USAGE).last.toString(), "7");
  assert.equal(made, 1);
});

test("an end that could not be made fails each time in the same way", () => {
  let tried = 0;
  const compose = composeOnce((): never => {
    tried += 1;
    throw new Error("no end");
  });
  for (let time = 0; time < 2; time++) assert.throws(() => compose(NO_USAGE), /no end/);
  assert.equal(tried, 1);
});

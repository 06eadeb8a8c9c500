/** Code, links and what is strong are marks; everything else, whatever it looks like, is text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inlineText } from "./inline-text.ts";

const LOOK = { linkTo: (target: string) => (target.startsWith("/") ? `/en${target}` : null) };
const written = (text: string): string => inlineText(text, LOOK).text;

test("what is between backticks is code, and no mark", () => {
  assert.equal(
    written("`a **b** [c](/d)` and `<i>`"),
    "<code>a **b** [c](/d)</code> and <code>&lt;i&gt;</code>",
  );
});

test("links lead where they are told to, or are their words", () => {
  assert.equal(
    written("see [the `x` page](/x), not [y](y)."),
    'see <a href="/en/x">the <code>x</code> page</a>, not y.',
  );
});

test("what is strong may hold code and links", () => {
  assert.equal(
    written("**go to `/x` by [x](/x)**"),
    '<b>go to <code>/x</code> by <a href="/en/x">x</a></b>',
  );
});

test("what is no whole mark is text", () => {
  assert.equal(
    written('a ` b, 2 * 3 ** 4, [x] (y), <b>"&'),
    "a ` b, 2 * 3 ** 4, [x] (y), &lt;b&gt;&quot;&amp;",
  );
});

test("plain parts are written as they are asked to be, and no others", () => {
  const look = { ...LOOK, plain: (text: string) => inlineText(text.toUpperCase(), LOOK) };
  assert.equal(inlineText("a `b` [c](/d)", look).text, 'A <code>b</code> <a href="/en/d">C</a>');
});

/**
 * Guards what is kept sealed: it opens with the same secret at the same place, whole, and nowhere
 * else.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeal } from "./seal.ts";

const SECRET = "a secret of at least thirty-two characters";

test("what was sealed opens at its place, in any process with the same secret", () => {
  for (const text of ["", "JBSWY3DPEHPK3PXP", "письмо ✉".repeat(1000)]) {
    const sealed = createSeal(SECRET).seal(text, "mail:1");
    assert.equal(createSeal(SECRET).open(sealed, "mail:1"), text);
    if (text !== "") assert.ok(!sealed.includes(text));
  }
});

test("it opens with no other secret, at no other place, and not when a bit of it is changed", () => {
  const seal = createSeal(SECRET);
  const sealed = seal.seal("code", "totp:1");
  assert.equal(createSeal(`${SECRET}!`).open(sealed, "totp:1"), null);
  assert.equal(seal.open(sealed, "totp:2"), null);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(seal.open(changed, "totp:1"), null, String(at));
    assert.equal(seal.open(sealed.subarray(0, at), "totp:1"), null, String(at));
  }
});

test("the same text is sealed differently each time", () => {
  const seal = createSeal(SECRET);
  assert.notDeepEqual(seal.seal("code", "totp:1"), seal.seal("code", "totp:1"));
});

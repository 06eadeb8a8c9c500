/** Guards recovery codes: ten by chance, and the same code however it is typed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery-codes.ts";

test("ten of eighty bits each, none twice", () => {
  const codes = Array.from({ length: 50 }, newRecoveryCodes).flat();
  assert.equal(new Set(codes).size, 500);
  for (const code of codes)
    assert.match(code, /^(?:[0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
  assert.equal(new Set(codes.join("").replaceAll("-", "")).size, 32);
});

test("capitals, spaces and dashes do not matter; letters do", () => {
  const same = ["abcd-efgh-jkmn-pqrs", "ABCDEFGHJKMNPQRS", " abcd efgh jkmn pqrs "];
  assert.equal(new Set(same.map((code) => hashRecoveryCode(code).toString("hex"))).size, 1);
  assert.notDeepEqual(
    hashRecoveryCode("abcd-efgh-jkmn-pqrs"),
    hashRecoveryCode("abcd-efgh-jkmn-pqrt"),
  );
});

/** Guarantees: each secret gets its own hash, however alike two are; and none stays for long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hashKeySecret, newKeySecret } from "../../kernel/secrets.ts";
import { createRecentHashes } from "./recent-hashes.ts";

function counting() {
  const made: string[] = [];
  const hashOf = createRecentHashes((secret) => {
    made.push(secret);
    return hashKeySecret(secret);
  });
  return { made, hashOf };
}

test("a secret is hashed once, and one that differs in a single character gets its own hash", () => {
  const { made, hashOf } = counting();
  const secret = newKeySecret();
  // All but the last characters, by which a secret has its place.
  for (let at = 0; at < secret.length - 4; at++) {
    const other = secret.slice(0, at) + (secret[at] === "x" ? "y" : "x") + secret.slice(at + 1);
    assert.equal(hashOf(secret), hashKeySecret(secret));
    assert.equal(hashOf(other), hashKeySecret(other));
  }
  made.length = 0;
  assert.equal(hashOf(secret), hashKeySecret(secret));
  assert.equal(hashOf(secret), hashKeySecret(secret));
  assert.equal(made.length, 1);
});

test("what cannot be a key is not kept", () => {
  const { made, hashOf } = counting();
  for (const text of ["", "x", `${newKeySecret()} `, "x".repeat(10_000)])
    for (let times = 0; times < 2; times++) assert.equal(hashOf(text), hashKeySecret(text));
  assert.equal(made.length, 8);
});

test("after a minute a secret is not in memory any more", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { made, hashOf } = counting();
  const secret = newKeySecret();
  hashOf(secret);
  t.mock.timers.tick(59_999);
  hashOf(secret);
  assert.equal(made.length, 1);
  t.mock.timers.tick(1);
  hashOf(secret);
  assert.equal(made.length, 2);
});

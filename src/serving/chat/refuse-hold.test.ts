/**
 * Protects: a refusal for money says what was needed and what is there, and is final only where
 * waiting cannot help (contract §4, §6).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Nano } from "../../kernel/money.ts";
import { refuseHold } from "./refuse-hold.ts";

function roubles(text: bigint): Nano {
  return (text * 1_000_000_000n) as Nano;
}

test("an empty balance: 402, the figures, nothing to wait for", () => {
  const fault = refuseHold(
    { kind: "insufficient-balance", availableNano: roubles(1n), heldNano: roubles(0n) },
    roubles(3n),
  );
  assert.equal(fault.status, 402);
  assert.equal(fault.code, "insufficient_balance");
  assert.match(fault.message, /needs 3 RUB, 1 RUB is available\. Top the balance up/);
  assert.equal(fault.details.retryAfterSeconds, undefined);
  assert.equal(fault.retryable, false);
});

test("money held by other requests: still 402, but it says so and when to come back", () => {
  const fault = refuseHold(
    { kind: "insufficient-balance", availableNano: roubles(1n), heldNano: roubles(2n) },
    roubles(3n),
  );
  assert.equal(fault.status, 402);
  assert.match(fault.message, /2 RUB is held by requests that still run/);
  assert.ok((fault.details.retryAfterSeconds ?? 0) > 0);
  assert.equal(fault.retryable, true);
});

test("money held by others that would not be enough either is no reason to wait", () => {
  const fault = refuseHold(
    { kind: "insufficient-balance", availableNano: roubles(1n), heldNano: roubles(1n) },
    roubles(3n),
  );
  assert.equal(fault.details.retryAfterSeconds, undefined);
});

test("a key's own limit is told apart from the balance", () => {
  const fault = refuseHold(
    { kind: "limit-exceeded", availableNano: roubles(0n), heldNano: roubles(0n) },
    roubles(3n),
  );
  assert.equal(fault.code, "key_limit_exceeded");
  assert.match(fault.message, /limit of this API key/);
});

test("a deleted key is a 401, a blocked account a 403", () => {
  assert.equal(refuseHold({ kind: "budget-closed" }, roubles(1n)).status, 401);
  assert.equal(refuseHold({ kind: "account-blocked" }, roubles(1n)).status, 403);
});

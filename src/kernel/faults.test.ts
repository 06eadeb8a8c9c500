/**
 * Guards the fault table: statuses fit the retry advice that official SDKs act on (contract §4),
 * and unknown errors show nothing.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FAULTS, Fault, toFault } from "./faults.ts";

/**
 * Clients retry such a status; that a retry cannot help is said in a header, which the SDKs obey
 * (rendered-error.test.ts).
 */
const CURED_BY_NO_RETRY = ["conflict", "already_exists", "top_ups_unavailable"];

test("lack of money is a 402 that no client retries, and every retryable fault has a status that clients retry", () => {
  assert.equal(FAULTS.insufficient_balance.status, 402);
  assert.equal(FAULTS.key_limit_exceeded.status, 402);
  for (const [code, kind] of Object.entries(FAULTS)) {
    const retried = kind.status >= 500 || [408, 409, 429].includes(kind.status);
    assert.equal(kind.retryable, retried && !CURED_BY_NO_RETRY.includes(code), code);
  }
});

test("a fault takes the table's text and advice unless the thrower knows better", () => {
  assert.equal(new Fault("not_found").message, FAULTS.not_found.message);
  const fault = new Fault("insufficient_balance", {
    message: "Held by others.",
    retryable: true,
    retryAfterSeconds: 2,
  });
  assert.deepEqual(
    [fault.status, fault.message, fault.retryable, fault.details.retryAfterSeconds],
    [402, "Held by others.", true, 2],
  );
});

test("an unknown error becomes internal_error; its text stays in the cause, for the log only", () => {
  const cause = new Error("password=hunter2");
  const fault = toFault(cause);
  assert.equal(fault.code, "internal_error");
  assert.equal(fault.cause, cause);
  assert.ok(!fault.message.includes("hunter2"));
  assert.equal(toFault(fault), fault);
});

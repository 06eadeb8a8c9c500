/** A key that could not be told apart or stored is refused before anything is done with it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../kernel/faults.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";

test("whatever is printable and short enough is a key, as it was sent", () => {
  for (const key of [
    "a",
    "order 17",
    '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
    "~!@#$%^&*()",
    "k".repeat(255),
  ]) {
    assert.equal(readIdempotencyKey(key), key);
  }
  assert.equal(readIdempotencyKey(["a", "b"]), "a, b");
  assert.equal(readIdempotencyKey(undefined), null);
});

test("what is empty, too long or not printable is refused with the header's name", () => {
  for (const key of ["", "k".repeat(256), "tab\there", "ключ", "caf\u00e9", "del\u007f", []]) {
    assert.throws(
      () => readIdempotencyKey(key),
      (fault) =>
        fault instanceof Fault &&
        fault.code === "invalid_request" &&
        fault.details.param === "Idempotency-Key",
      JSON.stringify(key),
    );
  }
});

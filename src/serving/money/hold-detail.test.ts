/**
 * A hold's detail says what its receipt needs, whichever version wrote it; what is not whole is not
 * believed (contract §6).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newUuid } from "../../kernel/ids.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { decodeHoldDetail, encodeHoldDetail, type HoldDetail } from "./hold-detail.ts";

const accountId = newUuid();
const keyId = newUuid();
const full: HoldDetail = {
  accountId,
  keyId,
  endpoint: "messages",
  modelRequested: 'a "quoted" \\ name\n\0 \ud83d я',
  model: "sandbox-large",
  stream: true,
  startedAt: "2026-11-21T09:30:00.125Z",
  priceVersion: 3,
  usage: { ...NO_USAGE, inputTokens: 5, outputTokens: 7 },
  usageSource: "counted",
  countFactor: { input: "1.25", output: "1.6" },
  idempotent: true,
};
const held = (detail: string) => ({ accountId, budgetId: keyId, priceVersion: 3, detail });

test("what was written is read, with what the hold itself says", () => {
  assert.deepEqual(decodeHoldDetail(held(encodeHoldDetail(full))), full);
  const {
    idempotent: _,
    countFactor: _factor,
    ...fresh
  } = { ...full, usage: NO_USAGE, usageSource: "none" as const };
  assert.deepEqual(decodeHoldDetail(held(encodeHoldDetail(fresh))), fresh);
});

test("a detail of the version before, which repeated what the hold says, is read too", () => {
  assert.deepEqual(decodeHoldDetail(held(JSON.stringify(full))), full);
  assert.equal(decodeHoldDetail(held(JSON.stringify({ ...full, keyId: null })))?.keyId, null);
});

test("a detail that is not whole is none", () => {
  const parts = JSON.parse(encodeHoldDetail(full)) as Record<string, unknown>;
  for (const name of Object.keys(parts)) {
    const { [name]: _, ...rest } = parts;
    if (name !== "idempotent" && name !== "countFactor")
      assert.equal(decodeHoldDetail(held(JSON.stringify(rest))), null, `without ${name}`);
    assert.equal(
      decodeHoldDetail(held(JSON.stringify({ ...parts, [name]: 1.5 }))),
      null,
      `with a wrong ${name}`,
    );
  }
  for (const text of ["", "{", "null", "[]", "{}", '{"of":"another version"}'])
    assert.equal(decodeHoldDetail(held(text)), null);
});

/**
 * Protects: a reason that was kept with its code is read with it, and one from before there were
 * codes by its words alone.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sayReason } from "../../contract/sentences/say-reason.ts";
import { newUuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import { operatorReceiptView } from "./receipt-view.ts";

test("attempts and suspicions of both kinds are read from one receipt", () => {
  const attempt = { upstream: "up", model: "m", outcome: "failed", status: 503, ms: 7 };
  const reported = sayReason("status", { status: 503, words: "busy" });
  const startedAt = new Date();
  const view = operatorReceiptView(
    {
      requestId: newUuid(),
      accountId: newUuid(),
      keyId: null,
      endpoint: "messages",
      modelRequested: "m",
      model: "m",
      state: "failed",
      startedAt,
      recordedAt: startedAt,
      durationMs: 9,
      firstMs: null,
      upstream: null,
      costNano: null,
      priceVersion: 1,
      heldNano: nano(0n),
      chargedNano: nano(0n),
      detail: {
        attempts: [
          { ...attempt, ...reported },
          { ...attempt, reason: "status 500: of old" },
          { ...attempt, reason: "odd", coded: { code: 7, params: { list: [] } } },
        ],
        suspicion: "usage is not an object",
        suspicionCoded: sayReason("usage_no_object").coded,
      },
    },
    { keyMask: null },
    nano(0n),
  );
  assert.deepEqual(
    view.attempts.map(({ reason, coded }) => ({ reason, coded })),
    [
      {
        reason: "status 503: busy",
        coded: { code: "status", params: { status: 503, words: "busy" } },
      },
      { reason: "status 500: of old", coded: null },
      { reason: "odd", coded: null },
    ],
  );
  assert.deepEqual(
    [view.suspicion, view.suspicionCoded],
    ["usage is not an object", { code: "usage_no_object", params: {} }],
  );
});

/**
 * Protects: what the panel's API answers is what its table of routes says, to the field; every
 * gateway of these tests is held to it, so each test of the panel is a test of its answers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { panelAnswerFault } from "../support/check-panel-answers.ts";

test("another type, a part that is missing, and a field too many are faults", () => {
  const fault = (json: unknown): string => panelAnswerFault("POST /keys/freeze-all", json) ?? "";
  assert.equal(fault({ frozen: 2 }), "");
  assert.match(fault({ frozen: "2" }), /POST \/keys\/freeze-all.*frozen/);
  assert.match(fault({}), /frozen/);
  assert.match(fault({ frozen: 2, secret: "x" }), /more than is described.*secret/);
  const nested = (session: unknown): string => panelAnswerFault("GET /visitor", { session }) ?? "";
  assert.equal(nested(null), "");
  assert.match(nested({ member: {} }), /session/);
});

/**
 * Protects: what the public API answers is what its description says, to the field; every gateway of
 * these tests is held to it, so each test of the API is a test of its answers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import type { AnnouncedAnswer } from "../../src/http/announce-answer.ts";
import { apiAnswerFault } from "../support/check-api-answers.ts";

const DOC = {
  operationId: "getThing",
  summary: "A thing",
  tag: "Service",
  responses: {
    200: {
      description: "The thing.",
      content: { "application/json": Type.Object({ name: Type.String() }) },
    },
  },
  errors: [],
} as const;

const answer = (json: unknown, status = 200): AnnouncedAnswer => ({
  kind: "answer",
  name: "GET /v1/thing",
  doc: DOC,
  status,
  json,
});

test("another type, a part that is missing, a field too many and another status are faults", () => {
  assert.equal(apiAnswerFault(answer({ name: "x" })), null);
  assert.match(apiAnswerFault(answer({ name: 2 })) ?? "", /GET \/v1\/thing.*name/);
  assert.match(apiAnswerFault(answer({})) ?? "", /name/);
  assert.match(apiAnswerFault(answer({ name: "x", secret: 1 })) ?? "", /more than.*secret/);
  assert.match(apiAnswerFault(answer({ name: "x" }, 201)) ?? "", /answers 201.*not described/);
});

test("an error that is not in its family's form is a fault; the panel's has a form of its own", () => {
  const error = { message: "No.", type: "invalid_request_error", param: null, code: null };
  const fault = (family: "openai" | "anthropic" | "panel", body: object): string | null =>
    apiAnswerFault({ kind: "fault", family, body: JSON.stringify(body) });
  assert.equal(fault("openai", { error }), null);
  assert.match(fault("anthropic", { error }) ?? "", /error of anthropic/);
  assert.match(fault("openai", { error: { ...error, param: 1 } }) ?? "", /param/);
  assert.equal(fault("panel", {}), null);
});

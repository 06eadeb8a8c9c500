/**
 * Guarantee: every fault has its place in all three families of errors, as contract §4 says and as
 * the official SDKs need it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { APIError } from "openai";
import { AnthropicErrorBody, OpenAiErrorBody, TaskErrorBody } from "../contract/error-bodies.ts";
import { createMistakeFinder } from "../contract/find-mistakes.ts";
import { sayRefusal } from "../contract/sentences/say-refusal.ts";
import { Fault, FAULTS, type FaultCode } from "../kernel/faults.ts";
import { renderAnthropicError, renderAnthropicErrorEvent } from "./anthropic/render-error.ts";
import { renderOpenAiError, renderOpenAiErrorEvent } from "./openai/render-error.ts";
import { PanelErrorBody } from "../contract/panel/panel-error.ts";
import { renderPanelError } from "./panel/render-error.ts";
import { renderTaskError } from "./tasks/render-error.ts";

/**
 * The table of contract §4: status, type of the chat family, type and status of the messages
 * family.
 */
const CONTRACT: Record<
  FaultCode,
  [status: number, chat: string, messages: string, messagesStatus?: number]
> = {
  invalid_api_key: [401, "invalid_request_error", "authentication_error"],
  insufficient_balance: [402, "insufficient_quota", "billing_error"],
  key_limit_exceeded: [402, "insufficient_quota", "billing_error"],
  group_limit_exceeded: [402, "insufficient_quota", "billing_error"],
  session_required: [401, "invalid_request_error", "authentication_error"],
  wrong_credentials: [401, "invalid_request_error", "authentication_error"],
  email_unverified: [403, "permission_error", "permission_error"],
  login_unfinished: [403, "permission_error", "permission_error"],
  origin_refused: [403, "permission_error", "permission_error"],
  permission_denied: [403, "permission_error", "permission_error"],
  model_not_found: [404, "invalid_request_error", "not_found_error"],
  not_found: [404, "invalid_request_error", "not_found_error"],
  method_not_allowed: [405, "invalid_request_error", "invalid_request_error"],
  invalid_request: [400, "invalid_request_error", "invalid_request_error"],
  context_length_exceeded: [400, "invalid_request_error", "invalid_request_error"],
  previous_response_not_found: [400, "invalid_request_error", "invalid_request_error"],
  wrong_endpoint: [400, "invalid_request_error", "invalid_request_error"],
  idempotency_mismatch: [400, "idempotency_error", "invalid_request_error"],
  idempotency_in_progress: [409, "idempotency_error", "invalid_request_error"],
  idempotency_answer_gone: [410, "idempotency_error", "invalid_request_error"],
  conflict: [409, "invalid_request_error", "invalid_request_error"],
  already_exists: [409, "invalid_request_error", "invalid_request_error"],
  gone: [410, "invalid_request_error", "not_found_error"],
  upgrade_required: [426, "invalid_request_error", "invalid_request_error"],
  precondition_failed: [412, "invalid_request_error", "invalid_request_error"],
  request_too_large: [413, "invalid_request_error", "request_too_large"],
  unsupported_media_type: [415, "invalid_request_error", "invalid_request_error"],
  range_not_satisfiable: [416, "invalid_request_error", "invalid_request_error"],
  storage_quota_exceeded: [403, "permission_error", "permission_error"],
  rate_limit_exceeded: [429, "rate_limit_error", "rate_limit_error"],
  request_timeout: [408, "invalid_request_error", "timeout_error"],
  internal_error: [500, "api_error", "api_error"],
  upstream_error: [502, "api_error", "api_error"],
  overloaded: [503, "overloaded_error", "overloaded_error", 529],
  upstream_timeout: [504, "api_error", "timeout_error"],
  top_ups_unavailable: [503, "api_error", "api_error"],
  storage_full: [507, "api_error", "api_error"],
};

const openAiMistakes = createMistakeFinder(OpenAiErrorBody);
const anthropicMistakes = createMistakeFinder(AnthropicErrorBody);
const taskMistakes = createMistakeFinder(TaskErrorBody);
const panelMistakes = createMistakeFinder(PanelErrorBody);

test("what programs read beside the text stands where the Messages protocol has it, and nowhere else", () => {
  const fault = new Fault("invalid_request", {
    forPrograms: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
  });
  const body = JSON.parse(renderAnthropicError(fault, "req_1").body) as {
    error: { details: unknown };
  };
  assert.deepEqual(body.error.details, {
    error_code: "thread_unsupported_request",
    unsupported: ["thread"],
  });
  assert.deepEqual(anthropicMistakes(body), []);
  for (const { body: other } of [
    renderOpenAiError(fault),
    renderTaskError(fault, "req_1"),
    renderPanelError(fault, "req_1"),
  ]) {
    assert.ok(!other.includes("thread_unsupported_request"), other);
  }
});

test("what a sentence names stands in the panel's errors, of each mistake its own, and in no public family", () => {
  const errors = [
    { param: "rpm", code: "minimum", message: "'rpm' must be at least 1.", params: { limit: 1 } },
  ];
  const fault = new Fault("invalid_request", { errors, params: { model: "m" } });
  const { error } = JSON.parse(renderPanelError(fault, "req_1").body) as PanelErrorBody;
  assert.deepEqual([error.params, error.errors], [{ model: "m" }, errors]);
  for (const { body } of [
    renderOpenAiError(fault),
    renderAnthropicError(fault, "req_1"),
    renderTaskError(fault, "req_1"),
  ]) {
    assert.doesNotMatch(body, /params/);
  }
});

test("a mistake whose reason is narrower than its code is told by the reason to pages, by the code in public", () => {
  const params = { values: ["720p", "1080p"], got: "list" };
  const errors = [
    {
      param: "mode",
      code: "type",
      reason: "no_choice",
      message: "'mode' must be a string.",
      params,
    },
  ];
  const fault = new Fault("invalid_request", { errors });
  const panel = JSON.parse(renderPanelError(fault, "req_1").body) as PanelErrorBody;
  assert.deepEqual(panel.error.errors, [
    { param: "mode", code: "no_choice", message: "'mode' must be a string.", params },
  ]);
  assert.deepEqual(panelMistakes(panel), []);
  const tasks = JSON.parse(renderTaskError(fault, "req_1").body) as { readonly errors: unknown };
  assert.deepEqual(tasks.errors, [
    { param: "mode", code: "type", message: "'mode' must be a string." },
  ]);
});

test("why a form was refused stands in the panel's errors, at its field too, and in no public family", () => {
  const fault = new Fault("wrong_credentials", { ...sayRefusal("code_wrong"), param: "code" });
  const { error } = JSON.parse(renderPanelError(fault, "req_1").body) as PanelErrorBody;
  assert.deepEqual(
    [error.code, error.reason, error.errors[0]?.code],
    ["wrong_credentials", "code_wrong", "code_wrong"],
  );
  for (const { body } of [
    renderOpenAiError(fault),
    renderAnthropicError(fault, "req_1"),
    renderTaskError(fault, "req_1"),
  ]) {
    assert.doesNotMatch(body, /code_wrong/);
  }
});

for (const code of Object.keys(FAULTS) as FaultCode[]) {
  const [status, chat, messages, messagesStatus = status] = CONTRACT[code];
  test(`${code} in the four families`, () => {
    const params = { limit: 7 };
    const fault = new Fault(code, { param: "field", params, cause: "secret cause" });
    const { message } = FAULTS[code];

    const openAi = renderOpenAiError(fault);
    assert.equal(openAi.status, status);
    assert.deepEqual(JSON.parse(openAi.body), {
      error: { message, type: chat, param: "field", code },
    });
    assert.deepEqual(openAiMistakes(JSON.parse(openAi.body)), []);

    const anthropic = renderAnthropicError(fault, "req_1");
    assert.equal(anthropic.status, messagesStatus);
    assert.deepEqual(JSON.parse(anthropic.body), {
      type: "error",
      error: { type: messages, message },
      request_id: "req_1",
    });
    assert.deepEqual(anthropicMistakes(JSON.parse(anthropic.body)), []);

    const task = renderTaskError(fault, "req_1");
    assert.equal(task.status, status);
    assert.deepEqual(JSON.parse(task.body), {
      code: status,
      msg: message,
      data: null,
      errors: [{ param: "field", code, message }],
      requestId: "req_1",
    });
    assert.deepEqual(taskMistakes(JSON.parse(task.body)), []);

    const panel = renderPanelError(fault, "req_1");
    assert.equal(panel.status, status);
    assert.deepEqual(JSON.parse(panel.body), {
      error: {
        code,
        reason: null,
        message,
        params,
        errors: [{ param: "field", code, message, params }],
        retryAfterSeconds: null,
        requestId: "req_1",
      },
    });
    assert.deepEqual(panelMistakes(JSON.parse(panel.body)), []);

    for (const rendered of [openAi, anthropic, task, panel]) {
      assert.match(rendered.headers["content-type"] ?? "", /^application\/json/);
      assert.equal(
        rendered.headers["x-should-retry"],
        FAULTS[code].retryable ? undefined : "false",
      );
      assert.doesNotMatch(rendered.body, /secret cause/);
    }
  });
}

test("no money is never a status that SDKs retry, and never asks for a retry", () => {
  for (const code of [
    "insufficient_balance",
    "key_limit_exceeded",
    "group_limit_exceeded",
  ] as const) {
    const rendered = renderOpenAiError(new Fault(code, { retryAfterSeconds: 3 }));
    assert.deepEqual(
      [rendered.status, rendered.headers["x-should-retry"], rendered.headers["retry-after"]],
      [402, "false", "3"],
    );
  }
});

test("retry-after is whole seconds, at least one", () => {
  const after = (seconds: number) =>
    renderOpenAiError(new Fault("overloaded", { retryAfterSeconds: seconds })).headers[
      "retry-after"
    ];
  assert.deepEqual([after(0), after(0.2), after(1.2), after(60)], ["1", "1", "2", "60"]);
  assert.equal(renderOpenAiError(new Fault("overloaded")).headers["retry-after"], undefined);
});

test("a task body's mistakes are all listed", () => {
  const errors = [
    { param: "a", code: "required", message: "'a' is required." },
    { param: "b", code: "type", message: "'b' must be a number." },
  ];
  const body = JSON.parse(
    renderTaskError(new Fault("invalid_request", { errors }), "req_1").body,
  ) as { errors: unknown };
  assert.deepEqual(body.errors, errors);
  assert.deepEqual(
    (JSON.parse(renderTaskError(new Fault("not_found"), "req_1").body) as { errors: unknown })
      .errors,
    [],
  );
});

test("error events are single events that the SDKs take for errors", () => {
  const fault = new Fault("upstream_error", { message: "It broke.\nBadly." });
  const event = renderOpenAiErrorEvent(fault);
  assert.match(event, /^data: \{"error":.*\}\n\n$/);
  const { error } = JSON.parse(event.slice(6)) as { error: object };
  const shown = new APIError(undefined, error, undefined, new Headers());
  assert.deepEqual(
    [shown.message, shown.code, shown.type],
    ["It broke.\nBadly.", "upstream_error", "api_error"],
  );
  const messages = renderAnthropicErrorEvent(fault, "req_1");
  assert.match(messages, /^event: error\ndata: \{"type":"error",.*\}\n\n$/);
});

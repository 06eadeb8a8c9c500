/**
 * Guarantee: the words of an upstream's refusal reach the caller in every form, and the operator's
 * credentials in none (contract §4).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { safeText } from "./safe-text.ts";
import { readUpstreamError } from "./read-upstream-error.ts";

const read = (body: string, contentType: string | null = "application/json", status = 400) =>
  readUpstreamError({ status, contentType, body: Buffer.from(body) });

test("every known form of a refusal", () => {
  const table: [string, string][] = [
    [
      '{"error":{"message":"bad","type":"invalid_request_error","param":"messages","code":"x"}}',
      "bad",
    ],
    ['[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]', "bad"],
    ['{"error":"bad"}', "bad"],
    ['{"error":{"message":{"detail":"bad"}}}', "bad"],
    ['{"detail":"bad"}', "bad"],
    ['{"detail":[{"loc":["body","x"],"msg":"bad","type":"t"},{"msg":"worse"}]}', "x: bad; worse"],
    [
      '{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],"msg":"not permitted"}]}}',
      "stream_options.include_usage: not permitted",
    ],
    [
      '{"detail":[{"loc":["body","messages",3,{}],"msg":"bad"},{"loc":["body"],"msg":"worse"}]}',
      "messages.3: bad; worse",
    ],
    ['{"message":"bad"}', "bad"],
    ['{"msg":"bad"}', "bad"],
    ['{"object":"error","message":"bad","code":400}', "bad"],
    ['{"errors":[{"message":"bad"}]}', "bad"],
    ['"bad"', "bad"],
    ["bad", "bad"],
    ['data: {"error":{"message":"bad"}}\n\n', "bad"],
    ['event: error\ndata: {"error":{"message":"bad"}}\n\n', "bad"],
    ["<html><body>nginx</body></html>", "The upstream answered with status 400."],
    ["", "The upstream answered with status 400."],
    ["{}", "The upstream answered with status 400."],
    ["null", "The upstream answered with status 400."],
    ['{"error":{}}', "The upstream answered with status 400."],
    ["line one\r\n\tline two\u0000", "line one line two"],
  ];
  for (const [body, message] of table) assert.equal(read(body).message, message, body);
  const bad = JSON.stringify({ error: { message: "bad" } });
  assert.equal(
    readUpstreamError({ status: 400, contentType: "application/json", body: gzipSync(bad) })
      .message,
    "The upstream answered with status 400.",
  );
  assert.equal(
    readUpstreamError({
      status: 400,
      contentType: null,
      body: Buffer.from("плохо").subarray(0, -1),
    }).message,
    "плох\ufffd",
  );
  assert.equal(read("busy", "text/html").message, "The upstream answered with status 400.");
});

test("type, code and param are kept, the status is the one of the answer", () => {
  const reading = read(
    '{"error":{"message":"m","type":"invalid_request_error","param":"messages[0].content","code":"bad_value"}}',
    null,
    422,
  );
  assert.deepEqual(reading, {
    kind: "error",
    message: "m",
    type: "invalid_request_error",
    code: "bad_value",
    param: "messages[0].content",
    status: 422,
    fields: {},
  });
  assert.equal(read('{"error":{"message":"m","code":429}}').status, 400);
});

test("under a status of success the error's own words say what status it amounts to, or nothing does", () => {
  const under200 = (body: string): number | null => read(body, "application/json", 200).status;
  assert.equal(under200('{"error":{"message":"m","code":429}}'), 429);
  assert.equal(under200('{"type":"error","error":{"type":"overloaded_error","message":"m"}}'), 503);
  assert.equal(under200('{"error":{"message":"m"}}'), null);
  assert.equal(under200("<html>Login</html>"), null);
});

const SECRETS = [
  "sk-proj-Ab12Cd34Ef56Gh78",
  "sk-ab***************************9xyz",
  "sk-ant-api03-Zx9_yw8-AAAA",
  "gsk_ab12cd34ef56",
  "xai-ab12cd34ef56",
  "AIzaSyA1234567890abcdefghij",
  "hf_abcDEF123456",
  "Bearer abc.def-123",
  "Basic dXNlcjpwYXNzd29yZA==",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc",
  "org-a1B2c3D4e5F6",
  "proj_a1B2c3D4e5F6",
  "acct-77210099",
  "ops@example.com",
  "0123456789abcdef0123456789abcdef",
  "tg_live_0123456789abcdefghijABCDEFGHIJ0123456789",
];

test("nothing that looks like a credential or an account comes through", () => {
  for (const secret of SECRETS) {
    for (const text of [
      `Incorrect API key provided: ${secret}. See the docs.`,
      `limit for ${secret} reached`,
      `{"x":"${secret}"}`,
      secret,
    ]) {
      const shown = read(
        JSON.stringify({ error: { message: text, code: secret, param: secret, type: secret } }),
      );
      const hidden = secret.replace(/^(Bearer|Basic) /, "");
      assert.doesNotMatch(
        JSON.stringify(shown),
        new RegExp(hidden.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")),
        text,
      );
    }
  }
  assert.equal(
    safeText("call https://user:pass@host/v1?api_key=abcdef123 with token=abcdefgh"),
    "call [removed]host/v1?api_key=[removed] with token=[removed]",
  );
  assert.equal(safeText('{"api_key":"a1b2c3d4e5f6g7"}'), '{"api_key":"[removed]"}');
});

test("ordinary words stay", () => {
  for (const text of [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "Invalid value: 'systm'. Supported values are: 'system', 'assistant', 'user'.",
    "Unknown key: 'max_tokns'. Did you mean 'max_tokens'?",
    "Invalid token: message 3 has no tool_call_id call_abc123 in project settings",
    "basic validation failed for user_messages of get_customer_invoice_by_id_v2_extended_form",
  ]) {
    assert.equal(safeText(text), text);
  }
});

test("the message is bounded and on one line, whatever comes", () => {
  assert.ok(read(`{"error":{"message":"${"x y ".repeat(100_000)}"}}`).message.length <= 600);
  assert.ok(read("a b ".repeat(1_000_000)).message.length <= 600);
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) =>
      /^[^\n\r]{0,600}$/u.test(read(text).message),
    ),
  );
  fc.assert(fc.property(fc.jsonValue(), (value) => read(JSON.stringify(value)).message !== ""));
});

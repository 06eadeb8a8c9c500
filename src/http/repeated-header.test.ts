/**
 * Guarantee: a request that says two things where one counts is refused in its protocol's words;
 * one that says the same twice, or a list, is served.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHttpEndpoint, type HttpEndpoint } from "../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../test/support/new-customer.ts";
import { rawHttp } from "../../test/support/raw-http.ts";

let endpoint: HttpEndpoint;
let secret: string;
let other: string;
before(async () => {
  endpoint = await openHttpEndpoint();
  const accountId = await newAccount(endpoint.db);
  secret = (await newKey(endpoint.db, accountId)).secret;
  other = (await newKey(endpoint.db, accountId)).secret;
});
after(() => endpoint.close());

async function send(
  method: string,
  path: string,
  lines: readonly string[],
): Promise<{ readonly status: number | null; readonly body: string }> {
  const head = [`${method} ${path} HTTP/1.1`, ...lines, "connection: close"].join("\r\n");
  const { status, text } = await rawHttp(endpoint.port, `${head}\r\n\r\n`);
  return { status, body: text.slice(text.indexOf("\r\n\r\n") + 4) };
}

/** Each way in, and what its errors look like. */
const ENDPOINTS: readonly (readonly [method: string, path: string, shape: RegExp])[] = [
  ["POST", "/v1/chat/completions", /^\{"error":\{"message":/],
  ["POST", "/v1/messages", /^\{"type":"error","error":\{"type":"invalid_request_error"/],
  ["POST", "/v1/responses", /^\{"error":\{"message":/],
  ["POST", "/v1/tasks/seedance-2", /^\{"code":400,"msg":/],
  ["GET", "/v1/balance", /^\{"error":\{"message":/],
];

const PAIRS: readonly (readonly [
  name: string,
  values: (a: string, b: string) => readonly [string, string],
])[] = [
  ["authorization", (a, b) => [`Bearer ${a}`, `Bearer ${b}`]],
  ["authorization", (a) => [`Bearer ${a}`, "Basic eA=="]],
  ["x-api-key", (a, b) => [a, b]],
  ["x-api-key", (a) => [a, ""]],
  ["idempotency-key", () => ["one", "two"]],
  ["anthropic-version", () => ["2023-06-01", "2023-01-01"]],
  ["content-type", () => ["application/json", "text/plain"]],
];

for (const [method, path, shape] of ENDPOINTS) {
  test(`${method} ${path}: two different values of one header are a 400 that names it and repeats none, and so are two Hosts`, async () => {
    for (const [name, values] of PAIRS) {
      const key = name === "authorization" || name === "x-api-key" ? [] : [`x-api-key: ${secret}`];
      const [first, second] = values(secret, other);
      for (const [one, two] of [
        [first, second],
        [second, first],
      ]) {
        const { status, body } = await send(method, path, [
          "host: x",
          ...key,
          `${name}: ${one}`,
          `${name.toUpperCase()}: ${two}`,
        ]);
        assert.equal(status, 400, `${name}: ${body}`);
        assert.match(body, shape);
        assert.ok(body.includes(name) && !body.includes("tg_live_"), body);
      }
    }
    for (const hosts of [
      ["host: x", "host: y"],
      ["host: x", "Host: x"],
    ]) {
      const { status, body } = await send(method, path, [...hosts, `x-api-key: ${secret}`]);
      assert.equal(status, 400);
      assert.match(body, shape);
      assert.match(body, /Host header was sent more than once/);
    }
  });
}

test("the same value twice counts once, and lists may come in several lines", async () => {
  for (const lines of [
    [`authorization: Bearer ${secret}`, `Authorization: Bearer ${secret}`],
    [`x-api-key: ${secret}`, `x-api-key: ${secret}`],
    [
      `x-api-key: ${secret}`,
      "accept: text/html",
      "accept: application/json",
      "x-forwarded-for: 1.1.1.1",
      "x-forwarded-for: 2.2.2.2",
    ],
  ]) {
    const { status, body } = await send("GET", "/v1/balance", ["host: x", ...lines]);
    assert.equal(status, 200, body);
  }
});

test("a body is framed in one way only", async () => {
  for (const lines of [
    ["content-length: 2", "content-length: 2"],
    ["content-length: 2", "transfer-encoding: chunked"],
    ["transfer-encoding: chunked", "transfer-encoding: chunked"],
    ["transfer-encoding: chunked", "transfer-encoding: identity"],
  ]) {
    const { status } = await send("POST", "/v1/quote/chat/completions", [
      "host: x",
      `x-api-key: ${secret}`,
      ...lines,
    ]);
    assert.equal(status, 400, lines.join(", "));
  }
});

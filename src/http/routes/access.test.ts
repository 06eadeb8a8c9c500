/**
 * Who is let in: on every route that needs a key, at every request, and with the words that help
 * (contract §3, hazards §202).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { hashOf, newAccount, newKey } from "../../../test/support/new-customer.ts";
import { AnthropicErrorBody, OpenAiErrorBody } from "../../contract/error-bodies.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { deleteKey } from "../../business/keys/delete-key.ts";
import { formatRequestId, newUuid } from "../../kernel/ids.ts";

let endpoint: HttpEndpoint;
let accountId: string;
before(async () => {
  endpoint = await openHttpEndpoint();
  accountId = await newAccount(endpoint.db);
});
after(() => endpoint.close());

const openAiMistakes = createMistakeFinder(OpenAiErrorBody);
const anthropicMistakes = createMistakeFinder(AnthropicErrorBody);

const KEY_ROUTES = [
  "/v1/models",
  "/v1/models/sandbox-large",
  "/v1/balance",
  "/v1/key",
  "/v1/requests",
  `/v1/requests/${formatRequestId(newUuid())}`,
];

test("nothing but a valid secret opens a route, and the refusal says which kind of thing was sent", async () => {
  const { secret, key } = await newKey(endpoint.db, accountId);
  const typo = `${secret.slice(0, 20)}${secret[20] === "a" ? "b" : "a"}${secret.slice(21)}`;
  const attempts: readonly (readonly [headers: Record<string, string>, word: RegExp])[] = [
    [{}, /No API key/],
    [{ cookie: `session=${secret}` }, /cookie/],
    [{ "x-api-key": typo }, /mistyped/],
    [{ "x-api-key": hashOf(secret) }, /hash/],
    [{ authorization: `Bearer ${key.mask.replace("…", "...")}` }, /mask/],
    [{ authorization: `Basic ${btoa(secret)}` }, /Bearer/],
    [{ authorization: "Bearer eyJhbGciOiJI.eyJzdWIiOiIx.abc" }, /JWT/],
    [{ "x-forwarded-api-key": secret, "x-api-keys": secret }, /No API key/],
  ];
  for (const path of KEY_ROUTES) {
    for (const [headers, word] of attempts) {
      const answer = await endpoint.get(`${path}?api_key=${secret}&key=${secret}`, headers);
      assert.equal(answer.status, 401, path);
      const body = answer.json<{ error: { message: string; type: string; code: string } }>();
      assert.deepEqual(openAiMistakes(body), []);
      assert.deepEqual(
        [body.error.type, body.error.code],
        ["invalid_request_error", "invalid_api_key"],
      );
      assert.match(body.error.message, word);
      assert.equal(answer.headers.get("x-should-retry"), "false");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.ok(!answer.text.includes(secret));
    }
  }
});

test("both headers open every route; two different valid keys are a 400; a stray second header does no harm", async () => {
  const one = await newKey(endpoint.db, accountId);
  const two = await newKey(endpoint.db, accountId);
  for (const path of KEY_ROUTES.slice(0, 5)) {
    assert.equal((await endpoint.get(path, { "x-api-key": one.secret })).status, 200, path);
    assert.equal(
      (await endpoint.get(path, { authorization: `Bearer ${one.secret}` })).status,
      200,
      path,
    );
  }
  assert.equal(
    (await endpoint.get("/v1/balance", { "x-api-key": one.secret, authorization: "Bearer dummy" }))
      .status,
    200,
  );
  assert.equal(
    (
      await endpoint.get("/v1/balance", {
        "x-api-key": one.secret,
        authorization: `Bearer ${one.secret}`,
      })
    ).status,
    200,
  );
  assert.equal(
    (
      await endpoint.get("/v1/balance", {
        "x-api-key": one.secret,
        authorization: `Bearer ${two.secret}`,
      })
    ).status,
    400,
  );
});

test("a deleted key is a 401 at the very next request, on every route", async () => {
  const { secret, key } = await newKey(endpoint.db, accountId);
  const headers = { "x-api-key": secret };
  for (const path of KEY_ROUTES.slice(0, 5))
    assert.equal((await endpoint.get(path, headers)).status, 200);
  await deleteKey(endpoint.db, { hash: key.hash });
  for (const path of KEY_ROUTES) {
    const answer = await endpoint.get(path, headers);
    assert.equal(answer.status, 401, path);
    assert.match(answer.text, /was deleted/);
  }
  const refused = endpoint.lines
    .map(([, fields]) => fields)
    .filter((fields) => fields["status"] === 401 && fields["key"] === key.mask);
  assert.equal(refused.length, KEY_ROUTES.length, "the log names the key");
  for (const line of refused) assert.equal(line["accountId"], accountId);
});

test("an expired key and a key used from elsewhere are refused", async () => {
  const expired = await newKey(endpoint.db, accountId, {
    expiresAt: new Date(Date.now() + 60_000),
  });
  await endpoint.db.query(
    "UPDATE keys.keys SET expires_at = now() - interval '1 second' WHERE hash = $1",
    [expired.key.hash],
  );
  assert.equal((await endpoint.get("/v1/balance", { "x-api-key": expired.secret })).status, 401);
  const elsewhere = await newKey(endpoint.db, accountId, { ips: ["203.0.113.0/24"] });
  const answer = await endpoint.get("/v1/balance", {
    "x-api-key": elsewhere.secret,
    "x-forwarded-for": "203.0.113.7",
  });
  assert.equal(answer.status, 403);
  assert.equal(answer.json<{ error: { code: string } }>().error.code, "permission_denied");
  const here = await newKey(endpoint.db, accountId, { ips: ["127.0.0.0/8"] });
  assert.equal((await endpoint.get("/v1/balance", { "x-api-key": here.secret })).status, 200);
});

test("a Messages client is refused in its own protocol", async () => {
  const answer = await endpoint.get("/v1/models", { "anthropic-version": "2023-06-01" });
  assert.equal(answer.status, 401);
  const body = answer.json<{ error: { type: string }; request_id: string }>();
  assert.deepEqual(anthropicMistakes(body), []);
  assert.deepEqual(
    [body.error.type, body.request_id],
    ["authentication_error", answer.headers.get("request-id")],
  );
  for (const [path, shape] of [
    ["/v1/messages/nothing", /^\{"type":"error"/],
    ["/v1/quote/tasks", /^\{"code":404,"msg":/],
    ["/v1/storage/x", /^\{"code":404,"msg":/],
    ["/v1/messagesx", /^\{"error":/],
  ] as const) {
    const missing = await endpoint.get(path);
    assert.equal(missing.status, 404);
    assert.match(missing.text, shape);
  }
});

test("one line per request in the log, with mask and account, without secret, query and path; one count in the metrics", async () => {
  const { secret, key } = await newKey(endpoint.db, accountId);
  const from = endpoint.lines.length;
  const answers = [
    await endpoint.get(`/v1/requests?model=${secret}`, {
      "x-api-key": secret,
      "x-stainless-retry-count": "2",
    }),
    await endpoint.get(`/v1/models/${secret}`, { "x-api-key": secret }),
    await endpoint.get(`/v1/${secret}`),
    await endpoint.get("/healthz"),
  ];
  const lines = endpoint.lines.slice(from);
  assert.deepEqual(
    lines.map(([level, fields]) => [level, fields["route"], fields["status"]]),
    [
      ["info", "/v1/requests", 200],
      ["info", "/v1/models/{id}", 404],
      ["info", null, 404],
      ["debug", "/healthz", 200],
    ],
  );
  assert.deepEqual(
    lines.map(([, fields]) => fields["requestId"]),
    answers.map((answer) => answer.headers.get("x-request-id")),
  );
  assert.deepEqual(
    [lines[0]?.[1]["key"], lines[0]?.[1]["accountId"], lines[0]?.[1]["retryCount"]],
    [key.mask, accountId, 2],
  );
  assert.ok(!JSON.stringify(lines).includes(secret));
  assert.ok(answers.every((answer) => !answer.text.includes(secret)));
  assert.match(
    await endpoint.metrics.render(),
    /tollgate_http_requests_total\{method="GET",route="\/v1\/requests",status="200"\} \d/,
  );
});

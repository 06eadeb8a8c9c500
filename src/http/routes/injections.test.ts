/**
 * Protects: what a caller sends is a value wherever it is sent; as a piece of a statement it changes
 * nothing and breaks nothing (hazards §201).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { newUuid } from "../../kernel/ids.ts";

let endpoint: HttpEndpoint;
before(async () => {
  endpoint = await openHttpEndpoint();
});
after(() => endpoint.close());

/** Ends of literals, comments, second statements, waits, dollars, escapes, operators, no text. */
const CORPUS = [
  "'",
  "''; DROP TABLE keys.keys; --",
  "' OR '1'='1",
  "1; UPDATE ledger.accounts SET balance_nano = 9",
  "'||pg_sleep(5)||'",
  "$1",
  "$$; SELECT 1; $$",
  "E'\\x27",
  "\\'; SELECT 1 --",
  "x' UNION SELECT secret FROM keys.keys --",
  '"; DROP SCHEMA usage CASCADE; --',
  "%' AND 1=(SELECT count(*) FROM pg_class) AND '%'='",
  "/**/",
  '{"$gt":""}',
  "{}::jsonb",
  "\u0000",
  "\ud83d",
  "ʼ; SELECT 1; --",
];

const ID = newUuid();

interface Asked {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** As it is, where a header may be that. */
function inHeader(text: string): string {
  return /^[\x20-\x7e]+$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}

/** Every place of the public API that takes a text, with this one in it. */
function placesOf(text: string): Asked[] {
  const coded = encodeURIComponent(text.toWellFormed());
  const order = { model: text, prompt: text, callbackUrl: text, metadata: { [text]: text } };
  const messages = [{ role: "user", content: text }];
  return [
    ...["cursor", "limit", "key", "model", "state", "from", "to"].map((name) => ({
      path: `/v1/requests?${name}=${coded}`,
    })),
    ...["cursor", "limit", "state", "model"].map((name) => ({
      path: `/v1/tasks?${name}=${coded}`,
    })),
    ...["cursor", "limit"].map((name) => ({ path: `/v1/storage/files?${name}=${coded}` })),
    ...["requests", "models", "tasks", "storage/files"].map((list) => ({
      path: `/v1/${list}/${coded}`,
    })),
    { path: `/v1/callbacks/${coded}/${ID}`, body: { text } },
    { path: `/v1/callbacks/media/${coded}`, body: { text } },
    { path: `/v1/tasks/${coded}`, body: order },
    { path: "/v1/tasks/seedance-2", body: order },
    {
      path: "/v1/tasks/seedance-2",
      body: { prompt: text, duration: 5 },
      headers: { "idempotency-key": inHeader(text), "user-agent": inHeader(text) },
    },
    { path: "/v1/quote/tasks/seedance-2", body: { prompt: text, duration: 5 } },
    { path: `/v1/tasks/${ID}/cancel?${coded}=${coded}`, body: {} },
    { path: "/v1/quote/chat/completions", body: { model: text, messages } },
    { path: "/v1/quote/chat/completions", body: { model: "sandbox-large", messages, user: text } },
    { path: "/v1/messages/count_tokens", body: { model: "sandbox-large", messages } },
    { path: `/static/${coded}` },
    { path: `/${coded}` },
  ];
}

test("no text in any place ends in an error of ours, waits, or changes what is stored", async () => {
  const accountId = await newAccount(endpoint.db, "10");
  const { secret } = await newKey(endpoint.db, accountId);
  const stored = (): Promise<unknown[]> =>
    endpoint.db.query(
      `SELECT (SELECT count(*)::int FROM information_schema.columns) AS columns, (SELECT count(*)::int FROM keys.keys) AS keys,
       (SELECT string_agg(credited_nano::text, ',' ORDER BY account_id) FROM ledger.accounts) AS credited`,
    );
  const before_ = await stored();
  for (const text of CORPUS)
    for (const { path, body, headers = {} } of placesOf(text)) {
      const keyed = { "x-api-key": secret, ...headers };
      const began = performance.now();
      const answer = await (body === undefined
        ? endpoint.get(path, keyed)
        : endpoint.post(path, body, keyed));
      const what = `${path} ${JSON.stringify(body)}: ${answer.text}`;
      assert.ok(answer.status < 500, what);
      assert.doesNotMatch(answer.text, /syntax error|relation "|unterminated/, path);
      assert.ok(performance.now() - began < 4_000, what);
    }
  assert.deepEqual(await stored(), before_);
});

test("as a credential it is none", async () => {
  for (const text of CORPUS) {
    const sent = inHeader(text);
    for (const headers of [{ "x-api-key": sent }, { authorization: `Bearer ${sent}` }])
      assert.equal((await endpoint.get("/v1/balance", headers)).status, 401, text);
  }
});

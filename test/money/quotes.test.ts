/**
 * Guarantee: a quote keeps its word. What it admits is served within what it named, what it refuses
 * is refused in the same words, at every endpoint of chat.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createSandbox, type Sandbox } from "../../sandbox/create-sandbox.ts";
import { createAccountGroup } from "../../src/business/panel/account/create-account-group.ts";
import { topUp } from "../../src/business/accounts/top-up.ts";
import { parseRoubles } from "../../src/kernel/money.ts";
import type { Nano } from "../../src/kernel/money.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import { newAccount, newKey } from "../support/new-customer.ts";

let sandbox: Sandbox;
let database: TestDatabase;
let gateway: Gateway;
before(async () => {
  sandbox = await createSandbox({ port: 0, host: "127.0.0.1", wordDelayMs: 0 });
  database = await testDatabase();
  const model = (upstream: string): string =>
    `{ type: chat, endpoints: [chat.completions, messages], contextTokens: 200000, maxOutputTokens: 8000,` +
    ` price: { input: "150", cachedInput: "15", cacheWrite5m: "150", cacheWrite1h: "150", output: "600" }, routes: [ { upstream: ${upstream}, model: echo-large } ] }`;
  gateway = await startGateway({
    databaseUrl: database.url,
    env: { SANDBOX_KEY: "key" },
    catalogue: `
families: { prefix: claude, large: { match: opus, model: by-messages } }
upstreams:
  messages: { protocol: anthropic, baseUrl: "${sandbox.url}", apiKeyEnv: SANDBOX_KEY }
  chat: { protocol: openai, baseUrl: "${sandbox.url}/v1", apiKeyEnv: SANDBOX_KEY }
models:
  by-messages: ${model("messages")}
  by-chat: ${model("chat")}
`,
  });
});
after(async () => {
  await gateway.stop();
  await database.drop();
  await sandbox.close();
});

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly json: Record<string, unknown>;
}

async function ask(
  method: "GET" | "POST",
  path: string,
  secret: string,
  body?: object,
): Promise<Answer> {
  const headers = { "x-api-key": secret, "content-type": "application/json" };
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const requestId = response.headers.get("x-request-id") ?? "";
  return {
    status: response.status,
    requestId,
    json: (await response.json()) as Record<string, unknown>,
  };
}

function nanoOf(value: unknown): Nano {
  const amount = typeof value === "string" ? parseRoubles(value) : null;
  assert.ok(amount !== null, `${String(value)} is an amount`);
  return amount;
}

const ENDPOINTS = ["chat/completions", "messages", "responses"] as const;
const MESSAGES = [{ role: "user", content: "Скажи что-нибудь, please. [[sandbox: tokens=400]]" }];

/** The same request at each endpoint. */
function bodyAt(endpoint: (typeof ENDPOINTS)[number], model: string, limit: number): object {
  return endpoint === "responses"
    ? { model, max_output_tokens: limit, input: MESSAGES }
    : { model, max_tokens: limit, messages: MESSAGES };
}

for (const endpoint of ENDPOINTS) {
  for (const model of ["by-messages", "by-chat", "claude-opus-4-5"]) {
    test(`${endpoint}, ${model}: what is admitted costs no more than was quoted, and is held as was quoted`, async () => {
      const { secret } = await newKey(database.db, await newAccount(database.db, "100"));
      for (const maxTokens of [400, 8000]) {
        const body = bodyAt(endpoint, model, maxTokens);
        const quote = await ask("POST", `/v1/quote/${endpoint}`, secret, body);
        assert.equal(quote.status, 200, JSON.stringify(quote.json));
        assert.deepEqual([quote.json["admitted"], quote.json["modelRequested"]], [true, model]);
        const answer = await ask("POST", `/v1/${endpoint}`, secret, body);
        assert.equal(answer.status, 200, JSON.stringify(answer.json));
        const { json: receipt } = await ask("GET", `/v1/requests/${answer.requestId}`, secret);
        const hold = quote.json["hold"] as Record<string, unknown>;
        assert.deepEqual(
          [receipt["model"], receipt["modelRequested"], receipt["priceVersion"], receipt["held"]],
          [quote.json["model"], model, quote.json["priceVersion"], hold["first"]],
        );
        assert.equal(hold["first"], hold["maximum"], "of 100 roubles both are held whole");
        const charged = nanoOf(receipt["charged"]);
        assert.ok(charged > 0n && charged <= nanoOf(hold["maximum"]));
        // The whole answer was as long as the limit in the first round, so the estimate is nearly
        // the price, and not below it.
        if (maxTokens === 400)
          assert.ok(
            charged <= nanoOf(quote.json["estimate"]) &&
              charged * 10n > nanoOf(quote.json["estimate"]) * 9n,
          );
      }
    });
  }

  test(`${endpoint}: a refusal is foretold word for word, by balance, by the key's limit and by its group's, until there is money`, async () => {
    const accountId = await newAccount(database.db, "0.05");
    const poor = await newKey(database.db, accountId);
    const rich = await newAccount(database.db, "100");
    const limited = await newKey(database.db, rich, {
      limit: { amountNano: nanoOf("0.05"), period: "day" },
    });
    const group = await createAccountGroup(database.db, {
      accountId: rich,
      name: "a project",
      limit: { amountNano: nanoOf("0.05"), period: "month" },
      models: null,
      once: null,
    });
    const grouped = await newKey(database.db, rich, { groupId: group.id });
    const body = bodyAt(endpoint, "by-chat", 1000);
    for (const [{ secret }, code] of [
      [poor, "insufficient_balance"],
      [limited, "key_limit_exceeded"],
      [grouped, "group_limit_exceeded"],
    ] as const) {
      const { json: quote } = await ask("POST", `/v1/quote/${endpoint}`, secret, body);
      const refused = await ask("POST", `/v1/${endpoint}`, secret, body);
      assert.equal(refused.status, 402);
      const { message } = refused.json["error"] as { message: string };
      assert.deepEqual([quote["admitted"], quote["refusal"]], [false, { code, message }]);
    }
    const hold = (await ask("POST", `/v1/quote/${endpoint}`, poor.secret, body)).json[
      "hold"
    ] as Record<string, unknown>;
    const missing = (nanoOf(hold["minimum"]) - nanoOf("0.05")) as Nano;
    await topUp(database.db, { accountId, amountNano: missing, reference: null });
    const { json: later } = await ask("POST", `/v1/quote/${endpoint}`, poor.secret, body);
    assert.deepEqual(
      [later["admitted"], (later["hold"] as Record<string, unknown>)["first"]],
      [true, hold["minimum"]],
    );
    assert.equal((await ask("POST", `/v1/${endpoint}`, poor.secret, body)).status, 200);
  });
}

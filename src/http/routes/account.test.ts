/** The balance and the key's figures are the ledger's, at this moment, in decimal roubles. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { Balance } from "../../contract/balance.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { newUuid } from "../../kernel/ids.ts";
import { nano, ZERO_NANO } from "../../kernel/money.ts";
import { holdIn, settleIn } from "../../ledger/holds.store.ts";

let endpoint: HttpEndpoint;
before(async () => {
  endpoint = await openHttpEndpoint();
});
after(() => endpoint.close());

async function hold(accountId: string, keyId: string, amount: bigint): Promise<string> {
  const holdId = newUuid();
  const verdict = await endpoint.db.transaction((tx) =>
    holdIn(tx, {
      holdId,
      accountId,
      budgetId: keyId,
      groupId: null,
      fullNano: null,
      sliceNano: nano(amount),
      minimumNano: nano(amount),
      reference: "test",
      priceVersion: 1,
      detail: "{}",
    }),
  );
  assert.equal(verdict.kind, "held");
  return holdId;
}

test("balance, held and available follow a hold and its settlement to the nano-rouble", async () => {
  const accountId = await newAccount(endpoint.db, "10.000000001");
  const { secret, key } = await newKey(endpoint.db, accountId);
  const read = async () => {
    const answer = await endpoint.get("/v1/balance", { "x-api-key": secret });
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.deepEqual(createMistakeFinder(Balance)(answer.json()), []);
    return answer.json<Record<string, string>>();
  };
  assert.deepEqual(await read(), {
    balance: "10.000000001",
    held: "0",
    available: "10.000000001",
    currency: "RUB",
  });
  const holdId = await hold(accountId, key.keyId, 2_500_000_000n);
  assert.deepEqual(await read(), {
    balance: "10.000000001",
    held: "2.5",
    available: "7.500000001",
    currency: "RUB",
  });
  await endpoint.db.transaction((tx) =>
    settleIn(tx, { accountId, holdId, chargeNano: nano(1n), lossNano: ZERO_NANO }),
  );
  assert.deepEqual(await read(), { balance: "10", held: "0", available: "10", currency: "RUB" });
});

test("a key tells its mask, limits and spend, never its secret", async () => {
  const accountId = await newAccount(endpoint.db);
  const { secret, key } = await newKey(endpoint.db, accountId, {
    name: "прод",
    limit: { amountNano: nano(5_000_000_000n), period: "day" },
    models: ["sandbox-large"],
    ips: ["127.0.0.1"],
    requestsPerMinute: 60,
    maxConcurrent: 5,
    maxTasks: null,
  });
  const holdId = await hold(accountId, key.keyId, 2_000_000_000n);
  await endpoint.db.transaction((tx) =>
    settleIn(tx, { accountId, holdId, chargeNano: nano(1_500_000_000n), lossNano: ZERO_NANO }),
  );
  await hold(accountId, key.keyId, 500_000_000n);
  const answer = await endpoint.get("/v1/key", { "x-api-key": secret });
  const {
    createdAt,
    lastUsedAt: _,
    limit,
    ...rest
  } = answer.json<{ createdAt: string; lastUsedAt: string | null; limit: { resetsAt: string } }>();
  assert.deepEqual(rest, {
    mask: key.mask,
    hash: key.hash,
    name: "прод",
    expiresAt: null,
    models: ["sandbox-large"],
    ips: ["127.0.0.1"],
    requestsPerMinute: 60,
    tokensPerMinute: null,
    maxConcurrent: 5,
    maxTasks: null,
    spent: "1.5",
    held: "0.5",
    group: null,
    currency: "RUB",
  });
  const { resetsAt, ...figures } = limit;
  assert.deepEqual(figures, { amount: "5", period: "day", spent: "1.5", remaining: "3" });
  assert.match(resetsAt, /T21:00:00\.000Z$/, "midnight in Moscow");
  assert.match(createdAt, /^\d{4}-.*Z$/);
  assert.ok(!answer.text.includes(secret));
  const { secret: free } = await newKey(endpoint.db, accountId);
  assert.equal(
    (await endpoint.get("/v1/key", { "x-api-key": free })).json<{ limit: unknown }>().limit,
    null,
  );
});

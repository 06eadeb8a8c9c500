/**
 * Guards that a quote is true: the ledger then decides as it was foretold, to the nano-rouble and
 * to the word, and a quote itself changes nothing.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import { Fault } from "../../kernel/faults.ts";
import { newUuid } from "../../kernel/ids.ts";
import { nano, parseRoubles } from "../../kernel/money.ts";
import type { Nano } from "../../kernel/money.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { setAccountState } from "../../ledger/accounts.store.ts";
import { listEntries } from "../../ledger/entries.store.ts";
import type { HoldVerdict } from "../../ledger/hold-verdicts.ts";
import { holdIn } from "../../ledger/holds.store.ts";
import { countTexts } from "../../protocol/count-tokens.ts";
import { openAiDialect } from "../../protocol/openai/dialect.ts";
import { quotedRefusal } from "./quoted-refusal.ts";
import { refuseHold } from "./refuse-hold.ts";
import { quoteChat } from "./quote-chat.ts";
import type { ChatQuote, ChatQuoteDeps } from "./quote-chat.ts";
import { readBalance } from "../money/read-balance.ts";
import { readKeySpend } from "../money/read-key-spend.ts";

let database: TestDatabase;
let deps: ChatQuoteDeps;
before(async () => {
  database = await testDatabase();
  deps = {
    catalogue: { current: () => ({ version: 7, catalogue: CATALOGUE }) },
    readBalance: (key) => readBalance(database.db, key.accountId),
    readKeySpend: (key) => readKeySpend(database.db, key),
    countTexts,
  };
});
after(() => database.drop());

const reading = parseCatalogue(
  `
families: { prefix: claude, medium: { match: sonnet, model: m } }
upstreams:
  up: { protocol: openai, baseUrl: "https://up.example", apiKeyEnv: KEY }
models:
  m: { type: chat, endpoints: [chat.completions, messages], contextTokens: 20000, maxOutputTokens: 8000, price: { input: "150", cachedInput: "15", output: "600" }, routes: [ { upstream: up, model: x } ] }
  n: { type: chat, endpoints: [messages], contextTokens: 20000, maxOutputTokens: 8000, price: { input: "150", output: "600" }, routes: [ { upstream: up, model: x } ] }
`,
  { KEY: "x" },
);
if (!reading.ok) throw new Error(JSON.stringify(reading.mistakes));
const CATALOGUE = reading.catalogue;

const DIALECT = openAiDialect;
const MESSAGES = [{ role: "user", content: "Сколько стоит ответ на этот вопрос?" }];

function quote(key: KeyRecord, body: object): Promise<ChatQuote> {
  const sent = Buffer.from(JSON.stringify({ model: "m", messages: MESSAGES, ...body }));
  return quoteChat(deps, { dialect: DIALECT, key, ip: "203.0.113.9", body: sent });
}

/**
 * Makes the hold that the quoted request would make: by the estimate, and where that is refused by
 * the count.
 */
async function hold(
  key: KeyRecord,
  { plan, minimumNano }: ChatQuote,
  stream: boolean,
): Promise<HoldVerdict> {
  const verdict = await holdBy(key, plan, stream);
  if (verdict.kind === "held" || minimumNano >= plan.minimumNano) return verdict;
  return holdBy(key, { fullNano: minimumNano, sliceNano: minimumNano, minimumNano }, true);
}

function holdBy(
  key: KeyRecord,
  plan: Pick<ChatQuote["plan"], "fullNano" | "sliceNano" | "minimumNano">,
  stream: boolean,
): Promise<HoldVerdict> {
  return database.db.transaction((tx) =>
    holdIn(tx, {
      holdId: newUuid(),
      accountId: key.accountId,
      budgetId: key.keyId,
      groupId: null,
      fullNano: stream ? null : plan.fullNano,
      sliceNano: plan.sliceNano,
      minimumNano: plan.minimumNano,
      reference: "test",
      priceVersion: 1,
      detail: "{}",
    }),
  );
}

function roubles(text: string): Nano {
  const amount = parseRoubles(text);
  assert.ok(amount !== null);
  return amount;
}

const SITUATIONS: readonly {
  readonly name: string;
  readonly credit: string;
  readonly limit?: string;
  readonly body: object;
  readonly stream: boolean;
  readonly becomes: string;
}[] = [
  {
    name: "a short whole answer is held whole",
    credit: "100",
    body: { max_tokens: 300 },
    stream: false,
    becomes: "full",
  },
  {
    name: "a long whole answer begins with a slice",
    credit: "10",
    body: {},
    stream: false,
    becomes: "slice",
  },
  {
    name: "a stream begins with a slice",
    credit: "100",
    body: { max_tokens: 3000 },
    stream: true,
    becomes: "slice",
  },
  {
    name: "several choices are held together",
    credit: "5",
    body: { n: 3 },
    stream: true,
    becomes: "slice",
  },
  {
    name: "a poor account begins with the minimum",
    credit: "0.3",
    body: {},
    stream: true,
    becomes: "minimum",
  },
  {
    name: "a key's limit narrows the hold",
    credit: "100",
    limit: "0.3",
    body: {},
    stream: false,
    becomes: "minimum",
  },
  {
    name: "what the estimate refuses, the count admits",
    credit: "0.1565",
    body: {},
    stream: true,
    becomes: "slice",
  },
  {
    name: "too little is refused",
    credit: "0.1",
    body: {},
    stream: true,
    becomes: "insufficient-balance",
  },
  {
    name: "a key's limit refuses",
    credit: "100",
    limit: "0.1",
    body: {},
    stream: false,
    becomes: "limit-exceeded",
  },
  {
    name: "where both are too little the balance is named",
    credit: "0.1",
    limit: "0.05",
    body: {},
    stream: false,
    becomes: "insufficient-balance",
  },
];

for (const { name, credit, limit, body, stream, becomes } of SITUATIONS) {
  test(`the ledger decides as the quote says: ${name}`, async () => {
    const accountId = await newAccount(database.db, credit);
    const { key } = await newKey(
      database.db,
      accountId,
      limit === undefined ? {} : { limit: { amountNano: roubles(limit), period: "total" } },
    );
    const quoted = await quote(key, { ...body, stream });
    const verdict = await hold(key, quoted, stream);
    assert.equal(verdict.kind === "held" ? verdict.tier : verdict.kind, becomes);
    if (verdict.kind === "held") {
      assert.deepEqual([quoted.refusal, quoted.firstNano], [null, verdict.heldNano]);
    } else {
      const fault = refuseHold(verdict, quoted.minimumNano);
      assert.deepEqual(
        [quoted.refusal, quoted.firstNano],
        [quotedRefusal(fault), quoted.minimumNano],
      );
    }
  });
}

test("what other requests hold is not available, and the refusal says that it will be", async () => {
  const accountId = await newAccount(database.db, "1");
  const { key } = await newKey(database.db, accountId);
  const free = await quote(key, {});
  assert.equal(free.availableNano, roubles("1"));
  const verdict = await hold(
    key,
    { ...free, plan: { ...free.plan, sliceNano: roubles("0.95"), minimumNano: roubles("0.95") } },
    true,
  );
  assert.equal(verdict.kind, "held");
  const narrow = await quote(key, {});
  assert.equal(narrow.availableNano, roubles("0.05"));
  assert.match(
    narrow.refusal?.message ?? "",
    /0\.95 RUB is held by requests that still run. Try again/,
  );
});

test("a key's limit is spoken of by the key's own figures, whatever other keys hold", async () => {
  const accountId = await newAccount(database.db, "100");
  const other = await newKey(database.db, accountId);
  const { key } = await newKey(database.db, accountId, {
    limit: { amountNano: roubles("0.1"), period: "total" },
  });
  assert.equal((await hold(other.key, await quote(other.key, {}), true)).kind, "held");
  const quoted = await quote(key, {});
  const verdict = await hold(key, quoted, true);
  assert.ok(verdict.kind === "limit-exceeded");
  assert.equal(quoted.refusal?.message, refuseHold(verdict, quoted.minimumNano).message);
  assert.equal(quoted.availableNano, roubles("0.1"));
});

test("the estimate is the counted prompt and the longest answer; a quote moves no money and leaves no trace", async () => {
  const accountId = await newAccount(database.db, "100");
  const { key } = await newKey(database.db, accountId);
  const before = await readBalance(database.db, accountId);
  const one = await quote(key, { max_tokens: 100, n: 2 });
  assert.equal(one.plan.limitTokens, 200);
  assert.equal(one.priceVersion, 7);
  // Kopecks per token: 150 and 600 roubles for 1M tokens.
  assert.equal(one.estimateNano, nano(BigInt(one.countedInputTokens) * 150_000n + 200n * 600_000n));
  assert.ok(one.countedInputTokens > 8 && one.countedInputTokens <= one.plan.inputTokens);
  assert.ok(
    one.estimateNano <= one.plan.fullNano &&
      one.plan.minimumNano <= one.firstNano &&
      one.firstNano <= one.plan.fullNano,
  );
  assert.deepEqual(await readBalance(database.db, accountId), before);
  const page = await listEntries(database.db, {
    accountId,
    limit: 10,
    cursor: null,
    moneyOnly: false,
  });
  assert.deepEqual(
    page?.entries.map(({ kind }) => kind),
    ["topup"],
  );
});

test("a family id is quoted at the price of the model behind it, under both names", async () => {
  const accountId = await newAccount(database.db, "100");
  const { key } = await newKey(database.db, accountId, { models: ["claude-sonnet-4-5"] });
  const family = await quote(key, { model: "claude-sonnet-4-5" });
  assert.deepEqual([family.model.id, family.modelRequested], ["m", "claude-sonnet-4-5"]);
});

test("what the request itself would be refused for before its hold is refused here, and a blocked account is told", async () => {
  const accountId = await newAccount(database.db, "100");
  const { key } = await newKey(database.db, accountId, { models: ["m", "n"] });
  const refused = async (body: object, code: string) =>
    assert.rejects(
      quote(key, body),
      (error) => error instanceof Fault && error.code === code,
      code,
    );
  await refused({ messages: "no list" }, "invalid_request");
  await refused({ model: "nothing" }, "model_not_found");
  await refused({ model: "n" }, "wrong_endpoint");
  const { key: narrow } = await newKey(database.db, accountId, { models: ["n"] });
  await assert.rejects(
    quote(narrow, {}),
    (error) => error instanceof Fault && error.code === "permission_denied",
  );
  assert.equal(await setAccountState(database.db, accountId, "blocked"), "changed");
  assert.equal((await quote(key, {})).refusal?.code, "permission_denied");
});

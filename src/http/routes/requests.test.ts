/**
 * Receipts: one's own only, newest first, page by page without gaps, and a stranger's is the same
 * 404 as one that never was.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exactHold } from "../../../test/ledger/ledger-world.ts";
import {
  bookTogether,
  endHold,
  type EndedWithReceipt,
} from "../../../test/support/book-receipts.ts";
import { openHttpEndpoint, type HttpEndpoint } from "../../../test/support/http-endpoint.ts";
import { newAccount, newKey } from "../../../test/support/new-customer.ts";
import { createMistakeFinder } from "../../contract/find-mistakes.ts";
import { Receipt, ReceiptList } from "../../contract/receipt.ts";
import { formatRequestId, newUuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { holdIn } from "../../ledger/holds.store.ts";
import type { ReceiptRow } from "../../usage/receipt-row.ts";
import { receiptFigures } from "../../usage/receipt-figures.ts";

let endpoint: HttpEndpoint;
before(async () => {
  endpoint = await openHttpEndpoint();
});
after(() => endpoint.close());

interface Listed {
  readonly data: readonly { readonly id: string; readonly keyMask: string | null }[];
  readonly nextCursor: string | null;
}

const DETAIL = {
  stream: true,
  usage: {
    inputTokens: 12,
    cachedInputTokens: 1,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    outputTokens: 30,
    reasoningTokens: 4,
    images: 0,
  },
  usageSource: "upstream",
  attempts: [
    {
      upstream: "up",
      model: "internal-name",
      outcome: "served",
      status: 200,
      reason: "account 42 of the operator",
      ms: 800,
    },
  ],
};

function receipt(
  { accountId, keyId }: KeyRecord,
  wishes: Partial<ReceiptRow> = {},
  requestId = nextId(),
): EndedWithReceipt {
  return {
    requestId,
    accountId,
    keyId,
    chargeNano: nano(19_800_000n),
    heldNano: nano(20_000_000n),
    lossNano: nano(7n),
    priceVersion: 3,
    receipt: {
      endpoint: "chat.completions",
      modelRequested: "sandbox-large",
      model: "sandbox-large",
      state: "completed",
      startedAt: new Date("2026-11-21T09:30:00Z"),
      durationMs: 812,
      firstMs: 240,
      figures: receiptFigures(DETAIL.usage, "up", nano(10_000_000n)),
      detail: DETAIL,
      ...wishes,
    },
  };
}

let lastMs = Date.now();

/** Later than every id before it; those of one millisecond have no order. */
function nextId(): string {
  lastMs += 1;
  return idAt(lastMs);
}

/** A UUIDv7 of this moment. */
function idAt(ms: number): string {
  const time = ms.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}${newUuid().slice(13)}`;
}

async function store(...rows: EndedWithReceipt[]): Promise<string[]> {
  await bookTogether(endpoint.db, rows);
  return rows.map(({ requestId }) => formatRequestId(requestId));
}

test("a receipt says what was asked, counted and charged, and nothing of the operator's side", async () => {
  const { secret, key } = await newKey(endpoint.db, await newAccount(endpoint.db));
  const [id = ""] = await store(receipt(key));
  const answer = await endpoint.get(`/v1/requests/${id}`, { "x-api-key": secret });
  assert.deepEqual(createMistakeFinder(Receipt)(answer.json()), []);
  assert.deepEqual(answer.json(), {
    id,
    kind: "chat",
    endpoint: "chat.completions",
    model: "sandbox-large",
    modelRequested: "sandbox-large",
    keyMask: key.mask,
    stream: true,
    state: "completed",
    startedAt: "2026-11-21T09:30:00.000Z",
    completedAt: "2026-11-21T09:30:00.812Z",
    timeToFirstTokenMs: 240,
    finishReason: null,
    usage: DETAIL.usage,
    usageSource: "upstream",
    priceVersion: 3,
    tier: null,
    variants: [],
    toolCalls: {},
    droppedTools: [],
    held: "0.02",
    charged: "0.0198",
    currency: "RUB",
    attempts: [{ number: 1, outcome: "delivered", status: 200, durationMs: 800 }],
  });
});

test("what was held is what the ledger ended, also where the process had not heard of the last growth", async () => {
  const accountId = await newAccount(endpoint.db, "100");
  const { secret, key } = await newKey(endpoint.db, accountId);
  const hold = exactHold(accountId, 25_000_000n);
  const { holdId: requestId } = hold;
  await holdIn(endpoint.db, hold);
  await endHold(endpoint.db, {
    ...receipt(key, {}, requestId),
    heldNano: nano(25_000_000n),
  });
  const id = formatRequestId(requestId);
  const one = (await endpoint.get(`/v1/requests/${id}`, { "x-api-key": secret })).json();
  const list = (await endpoint.get("/v1/requests", { "x-api-key": secret })).json<{
    data: unknown[];
  }>();
  assert.equal((one as { held: string }).held, "0.025");
  assert.deepEqual(list.data, [one]);
});

test("a receipt of an unknown or damaged detail is still shown, with what there is", async () => {
  const { secret, key } = await newKey(endpoint.db, await newAccount(endpoint.db));
  const [id = ""] = await store(
    receipt(key, { detail: { usage: "?", attempts: [1, null, {}], raises: 5 } }),
  );
  const answer = await endpoint.get(`/v1/requests/${id}`, { "x-api-key": secret });
  assert.deepEqual([answer.status, createMistakeFinder(Receipt)(answer.json())], [200, []]);
});

test("a stranger's receipt, one that never was and what is no id are the same 404, byte for byte", async () => {
  const mine = await newKey(endpoint.db, await newAccount(endpoint.db));
  const theirs = await newKey(endpoint.db, await newAccount(endpoint.db));
  const [id = ""] = await store(receipt(theirs.key));
  const headers = { "x-api-key": mine.secret };
  const stranger = await endpoint.get(`/v1/requests/${id}`, headers);
  const never = await endpoint.get(`/v1/requests/${formatRequestId(newUuid())}`, headers);
  const noId = await endpoint.get("/v1/requests/'%20OR%201=1--", headers);
  assert.deepEqual([stranger.status, stranger.text], [404, never.text]);
  assert.deepEqual([noId.status, noId.text], [404, never.text]);
  const names = (answer: { headers: Headers }) => [...answer.headers.keys()].toSorted();
  assert.deepEqual(names(stranger), names(never));
  assert.equal(
    (await endpoint.get(`/v1/requests/${id}`, { "x-api-key": theirs.secret })).status,
    200,
  );
});

test("the list is one's own, newest first, and pages join without gaps or repetitions", async () => {
  const accountId = await newAccount(endpoint.db);
  const { secret, key } = await newKey(endpoint.db, accountId);
  const stranger = await newKey(endpoint.db, await newAccount(endpoint.db));
  const ids = await store(...Array.from({ length: 7 }, () => receipt(key)));
  await store(receipt(stranger.key));
  const seen: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const path: string = `/v1/requests?limit=3${cursor === null ? "" : `&cursor=${cursor}`}`;
    const page = (await endpoint.get(path, { "x-api-key": secret })).json<Listed>();
    assert.deepEqual(createMistakeFinder(ReceiptList)(page), []);
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
    pages += 1;
    // What comes in meanwhile is newer than every page to come.
    await store(receipt(key));
  } while (cursor !== null);
  assert.deepEqual([seen, pages], [ids.toReversed(), 3]);
  const whole = (await endpoint.get("/v1/requests", { "x-api-key": secret })).json<Listed>();
  assert.deepEqual([whole.data.length, whole.nextCursor], [10, null]);
});

test("filters by key, model, state and time narrow the list; a stranger's key has no requests here", async () => {
  const accountId = await newAccount(endpoint.db);
  const one = await newKey(endpoint.db, accountId);
  const two = await newKey(endpoint.db, accountId);
  const stranger = await newKey(endpoint.db, await newAccount(endpoint.db));
  await store(receipt(stranger.key));
  await store(
    receipt(one.key, {}, idAt(Date.UTC(2025, 0, 1))),
    receipt(one.key, {}, idAt(Date.UTC(2025, 0, 2))),
  );
  const [january = "", february = "", failed = "", other = ""] = await store(
    receipt(one.key, {}, idAt(Date.UTC(2026, 0, 1, 12))),
    receipt(one.key, {}, idAt(Date.UTC(2026, 1, 1, 12))),
    receipt(one.key, { state: "failed" }),
    receipt(two.key, { model: "vendor/model:free" }),
  );
  const list = async (query: string) => {
    const answer = await endpoint.get(`/v1/requests?${query}`, { "x-api-key": one.secret });
    assert.equal(answer.status, 200, answer.text);
    return answer.json<Listed>().data.map(({ id }) => id);
  };
  assert.deepEqual(await list("from=2026-01-01"), [other, failed, february, january]);
  assert.deepEqual(await list(`key=${two.key.hash}`), [other]);
  assert.deepEqual(await list(`key=${stranger.key.hash}`), []);
  assert.deepEqual(await list(`key=${"0".repeat(64)}`), []);
  assert.deepEqual(await list("model=vendor/model:free"), [other]);
  assert.deepEqual(await list("model=vendor%2Fmodel:fre"), [], "no prefixes");
  assert.deepEqual(await list("state=failed"), [failed]);
  assert.deepEqual(await list("from=2026-01-15&to=2026-03-01"), [february]);
  assert.deepEqual(await list("from=2026-01-01&to=2026-02-01T15:00:00%2B03:00"), [january]);
  assert.deepEqual(await list("from=2026-01-01&to=2026-02-01T15:00:00.001%2B03:00"), [
    february,
    january,
  ]);
  assert.deepEqual(await list("from=2026-02-01T12:00:00Z&to=2026-03-01"), [february]);
  const first = (
    await endpoint.get("/v1/requests?limit=1&from=2026-01-15&to=2026-03-01", {
      "x-api-key": one.secret,
    })
  ).json<Listed>();
  assert.deepEqual([first.data.length, first.nextCursor], [1, null]);
});

test("a query that cannot be is a 400 that names the parameter (what is injected stays a value: hazards §201)", async () => {
  const { secret, key } = await newKey(endpoint.db, await newAccount(endpoint.db));
  const [id = ""] = await store(receipt(key));
  const injection = "'; DROP TABLE usage.requests; --";
  for (const param of ["cursor", "limit", "key", "model", "state", "from", "to"]) {
    const answer = await endpoint.get(`/v1/requests?${param}=${encodeURIComponent(injection)}`, {
      "x-api-key": secret,
    });
    assert.deepEqual(
      [answer.status, answer.json<{ error: { param: string } }>().error.param],
      [400, param],
    );
  }
  for (const query of [
    "limit=0",
    "limit=1001",
    "limit=2.5",
    "limit=1&limit=2",
    "from=2026-02-30",
    "cursor=req_1",
    "model=",
    "model=%00",
    "model=%25%25%25",
  ]) {
    assert.equal(
      (await endpoint.get(`/v1/requests?${query}`, { "x-api-key": secret })).status,
      400,
      query,
    );
  }
  assert.deepEqual(
    (await endpoint.get("/v1/requests", { "x-api-key": secret })).json<Listed>().data[0]?.id,
    id,
  );
});

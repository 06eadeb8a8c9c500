/** Guarantee: the ledger folded by day has every entry in its day, and its balances meet. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openAccountScene, type AccountScene } from "../../../../test/support/account-scene.ts";
import { booksOf } from "../../../../test/support/books-of.ts";
import { fillReceipts } from "../../../../test/support/fill-receipts.ts";
import type { LedgerDay } from "../../../contract/panel/ledger-days.ts";
import { Fault } from "../../../kernel/faults.ts";
import { formatRoubles, nano, parseRoubles } from "../../../kernel/money.ts";
import { topUp } from "../../accounts/top-up.ts";
import type { Books } from "../../past/books.ts";
import { keepDays } from "./keep-days.ts";
import { foldedDays, listLedgerDays, type LedgerDaysWish } from "./list-ledger-days.ts";

let scene: AccountScene;
let books: Books;
before(async () => {
  scene = await openAccountScene();
  books = booksOf(scene.db);
});
after(() => scene.close());

const ALL: LedgerDaysWish = { from: null, to: null, cursor: null, limit: 9 };

async function everyDay(accountId: string, wish: Partial<LedgerDaysWish> = {}) {
  const days: LedgerDay[] = [];
  let cursor: string | null = null;
  do {
    const page = await listLedgerDays(books, accountId, { ...ALL, ...wish, cursor });
    assert.equal(page.archivedThrough, null);
    days.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return days;
}

test("every day is what its entries add up to, and begins with what the day before left", async () => {
  const accountId = await scene.account("5000");
  const { key } = await scene.key(accountId);
  await fillReceipts(scene.url, {
    accountId,
    keyIds: [key.keyId],
    models: ["sandbox-large", "b"],
    count: 1_100,
    apart: "43 minutes",
  });
  await topUp(scene.db, { accountId, amountNano: nano(77_000_000_000n), reference: null });
  await scene.chat(key, { chargeNano: 5_000_000_001n });
  await keepDays(scene.db);
  const truth = await scene.db.query<{
    day: string;
    charged: bigint;
    credited: bigint;
    requests: bigint;
  }>(
    `SELECT to_char(at AT TIME ZONE 'Europe/Moscow', 'YYYY-MM-DD') AS day, coalesce(sum(amount_nano) FILTER (WHERE kind = 'charge'), 0)::bigint AS charged,
       coalesce(sum(amount_nano) FILTER (WHERE kind IN ('topup', 'adjust')), 0)::bigint AS credited,
       count(*) FILTER (WHERE kind IN ('charge', 'release')) AS requests
     FROM ledger.entries WHERE account_id = $1 GROUP BY 1 ORDER BY 1 DESC`,
    [accountId],
  );
  const days = await everyDay(accountId);
  assert.deepEqual(
    days.map(({ day, charged, credited, requests }) => ({ day, charged, credited, requests })),
    truth.map(({ day, charged, credited, requests }) => ({
      day,
      charged: formatRoubles(nano(charged)),
      credited: formatRoubles(nano(credited)),
      requests: Number(requests),
    })),
  );
  for (const [at, { opening, closing, credited, charged }] of days.entries()) {
    const [begin, end, came, went] = [opening, closing, credited, charged].map(
      (amount) => parseRoubles(amount) ?? 0n,
    );
    assert.equal(end, (begin ?? 0n) + (came ?? 0n) - (went ?? 0n));
    assert.equal(opening, days[at + 1]?.closing ?? "0");
  }
  const [account] = await scene.db.query<{ balance: bigint }>(
    "SELECT credited_nano - charged_nano AS balance FROM ledger.accounts WHERE account_id = $1",
    [accountId],
  );
  assert.equal(days[0]?.closing, formatRoubles(nano(account?.balance ?? 0n)));
  const [from, to] = [days[20]?.day ?? "", days[5]?.day ?? ""];
  assert.deepEqual(await everyDay(accountId, { from, to }), days.slice(5, 21));
});

test("an account without entries has no days, and a day that there is not is refused", async () => {
  const empty = await scene.account("0");
  assert.deepEqual(await everyDay(empty), []);
  await assert.rejects(
    listLedgerDays(books, empty, { ...ALL, from: "2026-02-30" }),
    (error) => error instanceof Fault && error.code === "invalid_request",
  );
});

test("days in which nothing moved are left out", () => {
  const day = (name: string, openingNano: bigint, chargedNano = 0n) => ({
    day: name,
    openingNano: nano(openingNano),
    chargedNano: nano(chargedNano),
    requests: 0n,
  });
  const folded = foldedDays([
    day("2026-11-05", 50n),
    day("2026-11-04", 50n),
    day("2026-11-03", 60n, 10n),
    day("2026-11-02", 40n),
  ]);
  assert.deepEqual(
    folded.map(({ day: name, credited, charged }) => [name, credited, charged]),
    [
      ["2026-11-03", "0", "0.00000001"],
      ["2026-11-02", "0.00000002", "0"],
    ],
  );
});

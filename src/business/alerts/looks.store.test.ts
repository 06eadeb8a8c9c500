/**
 * What alerts count of a subject's spend: the same figures from sums of days, hours and minutes as
 * from every charge.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { newUuid, type Uuid } from "../../kernel/ids.ts";
import { nano } from "../../kernel/money.ts";
import {
  addSpend,
  carrySpend,
  forgetSpend,
  spentBy,
  sweepSpend,
  type Spend,
  type Spent,
  type Subject,
} from "./looks.store.ts";

const TEN_MINUTES_MS = 600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Moscow's, all year. */
const OFFSET_MS = 3 * HOUR_MS;

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(async () => database.drop());

/** Charged in every ten minutes of `days`, another sum in each. */
function aroundTheClock(subject: Subject, days: number): Spend[] {
  const last = Math.floor(Date.now() / TEN_MINUTES_MS);
  return Array.from({ length: days * 24 * 6 }, (_, back) => ({
    ...subject,
    bucket: new Date((last - back) * TEN_MINUTES_MS),
    chargedNano: nano(BigInt(1 + ((back * 7919) % 1000))),
  }));
}

function sumFrom(spend: readonly Spend[], fromMs: number): bigint {
  return spend
    .filter(({ bucket }) => bucket.getTime() >= fromMs)
    .reduce((sum, { chargedNano }) => sum + chargedNano, 0n);
}

function check(spent: Spent | undefined, spend: readonly Spend[]): void {
  const nowMs = Date.now();
  const moscow = new Date(nowMs + OFFSET_MS);
  const day = Math.floor((nowMs + OFFSET_MS) / DAY_MS) * DAY_MS - OFFSET_MS;
  const month = Date.UTC(moscow.getUTCFullYear(), moscow.getUTCMonth(), 1) - OFFSET_MS;
  const hour = sumFrom(spend, Math.floor((nowMs - HOUR_MS) / TEN_MINUTES_MS + 1) * TEN_MINUTES_MS);
  const week = sumFrom(spend, Math.floor((nowMs - 169 * HOUR_MS) / HOUR_MS + 1) * HOUR_MS) - hour;
  assert.deepEqual(spent, {
    dayNano: sumFrom(spend, day),
    monthNano: sumFrom(spend, month),
    hourNano: hour,
    weekNano: week,
  });
}

/**
 * Away from the moment at which the ten minutes, and with them maybe the hour or the day, change
 * under the test.
 */
async function awayFromTheChange(): Promise<void> {
  const leftMs = TEN_MINUTES_MS - (Date.now() % TEN_MINUTES_MS);
  if (leftMs < 5_000) await new Promise((resolve) => setTimeout(resolve, leftMs + 50));
}

async function countRows(subjectId: Uuid): Promise<number> {
  const [row] = await database.db.query<{ rows: bigint }>(
    "SELECT count(*) AS rows FROM alerts.spend WHERE subject_id = $1",
    [subjectId],
  );
  return Number(row?.rows);
}

test("day, month, hour and week are what was charged in them, however it was added, and a month around the clock is a few hundred rows", async () => {
  await awayFromTheChange();
  const [accountId, subjectId, other] = [newUuid(), newUuid(), newUuid()];
  const subject = { accountId, subjectId };
  const spend = aroundTheClock(subject, 32);
  await addSpend(database.db, spend);
  for (const one of spend.slice(0, 20)) await addSpend(database.db, [one, one]);
  const all = [...spend, ...spend.slice(0, 20), ...spend.slice(0, 20)];
  check((await spentBy(database.db, [subject, subject])).get(subjectId), all);
  await sweepSpend(database.db);
  check((await spentBy(database.db, [subject])).get(subjectId), all);
  const rows = await countRows(subjectId);
  assert.ok(rows < 300, `${rows} rows`);
  await carrySpend(database.db, subject, other);
  const both = await spentBy(database.db, [subject, { accountId, subjectId: other }]);
  check(both.get(other), all);
  await forgetSpend(database.db, subject);
  check((await spentBy(database.db, [subject])).get(subjectId), []);
});

/**
 * Fills a database as three months of many accounts leave it: accounts, requests and logs, and what
 * is added up of them.
 */
import { Client } from "pg";
import { spendBefore } from "../../src/business/alerts/ledger-moves.store.ts";
import { addSpend } from "../../src/business/alerts/looks.store.ts";
import { keepMargins } from "../../src/business/operate/keep-margins.ts";
import { keepDays } from "../../src/business/panel/account/keep-days.ts";
import { openDatabase } from "../../src/db/database.ts";
import { fillAccounts, fillBigAccount } from "./fill-accounts.ts";
import { fillLogs } from "./fill-logs.ts";
import { fillRequests } from "./fill-requests.ts";

export interface Size {
  readonly requests: number;
  readonly accounts: number;
  /** Of the big account. */
  readonly keys: number;
  readonly tasks: number;
}

const DAYS = 90;
const DAY_MS = 86_400_000;
/** Accounts were opened before the first request, for so many days. */
const OPENING_DAYS = 30;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The account is there already, and has no entries; no gateway runs. */
export async function fillWorld(
  url: string,
  accountId: string,
  size: Size,
  say: (what: string) => void,
): Promise<void> {
  await fillTables(url, accountId, size, say);
  await foldDays(url, accountId, say);
}

async function fillTables(
  url: string,
  accountId: string,
  size: Size,
  say: (what: string) => void,
): Promise<void> {
  const client = new Client({ connectionString: url, application_name: "bench" });
  await client.connect();
  try {
    await client.query("SET synchronous_commit = off");
    await client.query("SET work_mem = '256MB'");
    const from = new Date(Date.now() - 1000 - DAYS * DAY_MS);
    const opening = from.getTime() - OPENING_DAYS * DAY_MS;
    const months = [dayOf(opening - DAY_MS), dayOf(Date.now() + DAY_MS)];
    await client.query("SELECT ledger.keep_months($1::date, $2::date)", months);
    await client.query("SELECT months.keep($1::date, $2::date)", months);
    say("filling accounts and keys");
    const apart = (OPENING_DAYS * DAY_MS) / (size.accounts + 1);
    const small = await fillAccounts(client, size.accounts, opening, apart);
    const big = await fillBigAccount(client, accountId, size.keys, opening);
    await client.query("ANALYZE");
    await fillRequests(
      client,
      { big, small, count: size.requests, from, apartMs: (DAYS * DAY_MS) / size.requests },
      (done) => say(`filling requests: ${done} of ${size.requests}`),
    );
    say("filling tasks and logs");
    await fillLogs(client, { big, small, from, days: DAYS, tasks: size.tasks });
    await client.query("VACUUM (ANALYZE)");
  } finally {
    await client.end();
  }
}

/** What a gateway would have done by itself, day by day. */
async function foldDays(
  url: string,
  accountId: string,
  say: (what: string) => void,
): Promise<void> {
  say("adding up days");
  const db = openDatabase({ url, poolSize: 1, applicationName: "bench", onError: () => undefined });
  const client = new Client({ connectionString: url, application_name: "bench" });
  try {
    await keepDays(db);
    await keepMargins(db);
    await addSpend(db, await spendBefore(db, accountId, BEHIND_ALL, accountId));
    await client.connect();
    await client.query(LOOKED_AT);
    await client.query("VACUUM (ANALYZE)");
  } finally {
    await client.end();
    await db.close();
  }
}

/** No entry is behind this number. */
const BEHIND_ALL = 9_000_000_000_000_000_000n;

const LOOKED_AT = `
  INSERT INTO alerts.looks (account_id, through_no, credited_nano, charged_nano)
  SELECT a.account_id, a.entries, a.credited_nano, a.charged_nano FROM ledger.accounts a ORDER BY a.account_id
  ON CONFLICT (account_id) DO UPDATE SET through_no = excluded.through_no, credited_nano = excluded.credited_nano, charged_nano = excluded.charged_nano`;

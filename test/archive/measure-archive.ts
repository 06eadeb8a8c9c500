/**
 * How long it takes to archive a year, and to verify and read the books before and after:
 * `node test/archive/measure-archive.ts [RECEIPTS]`, ten million by default.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type AccountRequestQuery,
  listAccountRequests,
} from "../../src/business/panel/account/list-account-requests.ts";
import { listLedger } from "../../src/business/panel/account/list-ledger.ts";
import { readAccountRequest } from "../../src/business/panel/account/read-account-request.ts";
import { readTurnover } from "../../src/business/panel/account/read-turnover.ts";
import { openBooks } from "../../src/business/past/books.ts";
import { createPriceHistory } from "../../src/business/requests/price-history.ts";
import { verify } from "../../src/ledger/verify.store.ts";
import { openArchiveStorage } from "../../src/storage/open-storage.ts";
import { archiveWorld } from "./archive-world.ts";

const MONTHS = 12;
const ACCOUNTS = 50;
const PAGE = 50;
type Filter = Omit<AccountRequestQuery, "before" | "limit">;
const NO_FILTER: Filter = {
  keyHash: null,
  model: null,
  state: null,
  kind: null,
  from: null,
  to: null,
};

const receipts = Number(process.argv[2] ?? 10_000_000);
const say = (what: string, value: string): void => console.log(`${what.padEnd(62)} ${value}`);

async function timed<T>(
  what: string,
  work: () => Promise<T>,
  tell?: (done: T) => string,
): Promise<T> {
  const begunMs = performance.now();
  const done = await work();
  const ms = performance.now() - begunMs;
  const took = ms < 10_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(1)} s`;
  say(what, `${took}${tell === undefined ? "" : `, ${tell(done)}`}`);
  return done;
}

await using world = await timed(
  `fill ${receipts} receipts, ${ACCOUNTS} accounts, ${MONTHS} months`,
  () =>
    archiveWorld({ accounts: ACCOUNTS, months: MONTHS, perMonth: Math.ceil(receipts / MONTHS) }),
);
const { db, months } = world;
const accountId = world.accountIds[17] ?? "";
const prices = createPriceHistory(db, {});
const newBooks = () => openBooks(db, () => openArchiveStorage(world.storageUrl));

async function sizes(): Promise<string> {
  const [row] = await db.query<{ size: bigint }>(
    "SELECT pg_database_size(current_database()) AS size",
  );
  const folder = join(world.storageUrl.slice("file:".length), "archive");
  const names = await readdir(folder, { recursive: true });
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(folder, name))).size;
  return `database ${(Number(row?.size ?? 0n) / 1e6).toFixed(0)} MB, archive ${(bytes / 1e6).toFixed(0)} MB`;
}

const verified = () =>
  timed(
    "verify",
    () => db.transaction(verify),
    ({ checked, mismatches }) => `${checked.entries} entries, ${mismatches.length} mismatches`,
  );

const [edge] = await db.query<{ middle: Date }>(
  "SELECT to_date($1, 'YYYY-MM')::timestamptz + interval '15 days' AS middle",
  [months[4]],
);
const to = edge?.middle ?? null;
const { rows } = await listAccountRequests(newBooks(), accountId, {
  ...NO_FILTER,
  to,
  before: null,
  limit: PAGE,
});
const old = rows.at(-1)?.id ?? "";

async function read(): Promise<void> {
  const books = newBooks();
  const list = (more: Partial<Filter>) => () =>
    listAccountRequests(books, accountId, { ...NO_FILTER, ...more, before: null, limit: PAGE });
  const count = ({ rows: found }: { rows: readonly unknown[] }): string => `${found.length} rows`;
  await timed("panel: newest page of requests", list({}), count);
  await timed("panel: page of requests seven months ago, first time", list({ to }), count);
  await timed("panel: the same again", list({ to }), count);
  await timed("panel: failed requests of seven months ago", list({ to, state: "failed" }), count);
  const ledger = () =>
    listLedger(books, accountId, {
      cursor: null,
      from: null,
      to,
      holds: true,
      kind: null,
      limit: PAGE,
    });
  await timed("panel: page of the ledger seven months ago", ledger, count);
  const fresh = newBooks();
  const receipt = (of: typeof books) => () =>
    readAccountRequest(of, prices, { accountId, id: old });
  await timed("one old receipt, first time", receipt(fresh), ({ charged }) => `charged ${charged}`);
  await timed("the same again", receipt(fresh), ({ charged }) => `charged ${charged}`);
  const year = () => readTurnover(books, accountId, { from: null, to: null });
  await timed("turnover of all time", year, ({ closing }) => `closing ${closing}`);
  const half = () => readTurnover(books, accountId, { from: to, to: null });
  await timed("turnover since the middle of a month", half, ({ opening }) => `opening ${opening}`);
  await Promise.all([books.close(), fresh.close()]);
}

say("size", await sizes());
await verified();
await read();
await timed(
  "archive eleven months",
  () => world.archive({ before: months.at(-1) ?? "" }),
  (outcome) =>
    outcome.kind === "done"
      ? outcome.months
          .map(({ month, state, seconds }) => `${month} ${state} in ${seconds} s`)
          .join(", ")
      : outcome.kind,
);
say("size", await sizes());
await verified();
await read();
say("resident memory at most", `${(process.resourceUsage().maxRSS / 1000).toFixed(0)} MB`);

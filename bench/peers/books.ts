/**
 * What the database of a measured gateway tells besides its processor time; of this checkout or of
 * an older one, whose tables differ.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../src/db/database.ts";
import { FILLED_REFERENCE } from "./fill-ledger.ts";

export interface Books {
  /** Resolves when all that was answered stands in the ledger: what is written may be booked later. */
  posted(): Promise<void>;
  /**
   * Transactions that have written so far. A savepoint that wrote counts like one: each costs an id.
   */
  transactions(): Promise<number>;
  /** Of all tables with their indexes, once what was deleted is given back. */
  bytes(): Promise<number>;
  /** Of requests; those that the benchmark filled in are none. */
  charges(): Promise<number>;
}

const POSTED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 25;

export function openBooks(db: Db): Books {
  async function read<T>(sql: string, params: readonly unknown[] = []): Promise<T> {
    const [row] = await db.query<{ value: T }>(sql, params);
    if (row === undefined) throw new Error(`no row: ${sql}`);
    return row.value;
  }
  async function posted(): Promise<void> {
    if (!(await read<boolean>(HAS_PAGES))) return;
    for (const endsAt = performance.now() + POSTED_WITHIN_MS; performance.now() < endsAt;) {
      if (!(await read<boolean>(PAGES_WAIT))) return;
      await sleep(LOOK_EVERY_MS);
    }
    throw new Error("pages of the journal are not posted");
  }
  return {
    posted,
    transactions: async () => Number(await read<string>(NEXT_TRANSACTION)),
    async bytes() {
      await db.query("VACUUM");
      return Number(await read<bigint>(ALL_TABLES));
    },
    async charges() {
      await posted();
      return Number(await read<bigint>(CHARGES, [FILLED_REFERENCE]));
    },
  };
}

const HAS_PAGES = "SELECT to_regclass('ledger.pages') IS NOT NULL AS value";
const PAGES_WAIT = "SELECT EXISTS (SELECT FROM ledger.pages) AS value";
const NEXT_TRANSACTION = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS value";
const ALL_TABLES = `
  SELECT sum(pg_total_relation_size(c.oid))::bigint AS value FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'm') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'`;
const CHARGES =
  "SELECT count(*) AS value FROM ledger.entries WHERE kind = 'charge' AND reference IS DISTINCT FROM $1";

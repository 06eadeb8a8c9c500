/** Books with months that are over, and an archiver for them. */
import { rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveMonths, type ArchiveDeps } from "../../src/business/operate/archive-months.ts";
import { createAccount } from "../../src/business/accounts/create-account.ts";
import { openDatabase, type Db } from "../../src/db/database.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { openArchiveStorage } from "../../src/storage/open-storage.ts";
import type { ObjectStorage } from "../../src/storage/object-storage.ts";
import { newKey } from "../support/new-customer.ts";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { fillMonths } from "./fill-months.ts";

export interface ArchiveWorld extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly db: Db;
  readonly accountIds: readonly Uuid[];
  /** One of each account, in the same order, as are the keys' secrets. */
  readonly keyIds: readonly Uuid[];
  readonly secrets: readonly string[];
  /** `2026-01`, ascending; none of them runs. */
  readonly months: readonly string[];
  /** The month that runs. */
  readonly running: string;
  readonly storageUrl: string;
  readonly storage: ObjectStorage;
  /** An archiver on a connection of its own; `rest` is put in its place. */
  archive(
    wish?: Partial<Parameters<typeof archiveMonths>[1]>,
    rest?: Partial<ArchiveDeps>,
  ): ReturnType<typeof archiveMonths>;
}

export interface WorldOptions {
  readonly accounts: number;
  readonly months: number;
  readonly perMonth: number;
  /** What each account is given in each month, besides. */
  readonly giftNano?: bigint;
  /** Absent: in a folder. */
  readonly storageUrl?: string;
}

export async function archiveWorld(options: WorldOptions): Promise<ArchiveWorld> {
  const database = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), "tollgate-archive-"));
  const storageUrl = options.storageUrl ?? `file:${folder}`;
  const storage = await openArchiveStorage(storageUrl);
  const { db } = database;
  const accountIds: Uuid[] = [];
  const keyIds: Uuid[] = [];
  const secrets: string[] = [];
  for (let nth = 0; nth < options.accounts; nth++) {
    const made = await createAccount(db, { name: `${nth}`, email: null, operator: false });
    if (made.kind !== "created") throw new Error("no account");
    const { key, secret } = await newKey(db, made.accountId);
    accountIds.push(made.accountId);
    keyIds.push(key.keyId);
    secrets.push(secret);
  }
  const [{ running } = { running: "" }] = await db.query<{ running: string }>(
    "SELECT to_char(now() AT TIME ZONE 'Europe/Moscow' - interval '2 days', 'YYYY-MM') AS running",
  );
  const months = Array.from({ length: options.months }, (_, nth) =>
    monthBefore(running, options.months - nth),
  );
  await fillMonths(database.url, {
    accountIds,
    keyIds,
    models: ["small", "large", "huge"],
    months: months.map((month) => `${month}-01`),
    perMonth: options.perMonth,
    topUpNano: 1_000_000_000_000_000n,
    ...(options.giftNano !== undefined && { giftNano: options.giftNano }),
  });
  return {
    database,
    db,
    accountIds,
    keyIds,
    secrets,
    months,
    running,
    storageUrl,
    storage,
    async archive(wish = {}, rest = {}) {
      const own = openDatabase({
        url: database.url,
        poolSize: 1,
        applicationName: "test archiver",
        onError: () => undefined,
      });
      try {
        return await archiveMonths(
          {
            db: own,
            storage,
            actor: { memberId: null, actor: "cli:test" },
            onProgress: () => undefined,
            sleep: () => Promise.resolve(),
            ...rest,
          },
          { before: running, keep: false, dryRun: false, ...wish },
        );
      } finally {
        await own.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await storage.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function monthBefore(month: string, by: number): string {
  const [year = 0, nth = 0] = month.split("-").map(Number);
  return new Date(Date.UTC(year, nth - 1 - by, 1)).toISOString().slice(0, 7);
}

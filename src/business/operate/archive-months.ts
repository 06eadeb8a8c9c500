/**
 * Closes months that are over and moves their entries out of the database: sealed, written into a
 * file, read back and compared, and only then dropped. Each step is kept, so that what was killed in
 * one goes on from it.
 */
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import { backoffMs, type Backoff } from "../../kernel/backoff.ts";
import { postAll } from "../../ledger/journals.store.ts";
import {
  type ClosedMonth,
  closedMonths,
  dropMonth,
  leaveArchiverPlace,
  markArchived,
  type Month,
  monthsHere,
  nameFile,
  runningMonth,
  sealMonth,
  type SealVerdict,
  takeArchiverPlace,
} from "../../ledger/months.store.ts";
import { EDITION } from "../../archive/entry-columns.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";
import { recordAction } from "./audit.store.ts";
import { checkMonthFile } from "./check-month-file.ts";
import type { Actor } from "./operator.ts";
import { manifestOf, writeMonthFile } from "./write-month-file.ts";

export type ArchiveStep = "seal" | "write" | "check" | "drop";

export interface ArchiveDeps {
  /** Of one connection, which holds the archiver's place. */
  readonly db: Db;
  /** Of the archive alone. */
  readonly storage: ObjectStorage;
  readonly actor: Actor;
  /** `rows` of `all`: 0 of null where a step has no count. */
  onProgress(month: Month, step: ArchiveStep, rows: number, all: bigint | null): void;
  sleep(ms: number): Promise<unknown>;
}

export interface ArchiveWish {
  /** Months before this one; or all but so many whole ones before that which runs. */
  readonly before: Month | { readonly monthsKept: number };
  /** They stay in the database, too. */
  readonly keep: boolean;
  /** Nothing is done; what would be is told. */
  readonly dryRun: boolean;
}

export interface MonthReport {
  readonly month: Month;
  /** What has become of it; `open` where it was refused, and in a dry run. */
  readonly state: "open" | ClosedMonth["state"];
  readonly entries: bigint | null;
  readonly bytes: number | null;
  readonly refused: Extract<SealVerdict, { kind: "refused" }>["why"] | null;
  readonly seconds: number;
}

export type ArchiveOutcome =
  | { readonly kind: "done"; readonly months: readonly MonthReport[] }
  /** Another archiver works. */
  | { readonly kind: "busy" }
  /** `before` is after the running month. */
  | { readonly kind: "future"; readonly running: Month };

/** What unfinished writes of a killed archiver left is removed once it is so old. */
const UNFINISHED_MS = 24 * 3_600_000;
const USE_MS = 20_000;
const DROP_TRIES = 60;
const DROP_PAUSE: Backoff = { firstMs: 200, longestMs: 5_000, spread: 0.5 };

/** Throws what keeps a month from its archive; what was done before stays done. */
export async function archiveMonths(deps: ArchiveDeps, wish: ArchiveWish): Promise<ArchiveOutcome> {
  const { db, storage } = deps;
  const running = await runningMonth(db);
  const before =
    typeof wish.before === "string" ? wish.before : monthBefore(running, wish.before.monthsKept);
  if (before > running) return { kind: "future", running };
  if (wish.dryRun) return { kind: "done", months: await plan(db, before) };
  if (!(await takeArchiverPlace(db))) return { kind: "busy" };
  // A connection that is not used for a while is closed, and the place with it.
  const used = setInterval(() => void runningMonth(db).catch(() => undefined), USE_MS);
  try {
    await storage.sweepUnfinished(UNFINISHED_MS);
    await postAll(db);
    const months: MonthReport[] = [];
    for (const month of await monthsHere(db))
      if (month < before) months.push(await archiveMonth(deps, month, wish.keep));
    return { kind: "done", months };
  } finally {
    clearInterval(used);
    await leaveArchiverPlace(db).catch(() => undefined);
  }
}

function monthBefore(month: Month, by: number): Month {
  const [year = 0, nth = 0] = month.split("-").map(Number);
  return new Date(Date.UTC(year, nth - 1 - by, 1)).toISOString().slice(0, 7);
}

async function plan(db: Db, before: Month): Promise<MonthReport[]> {
  const closed = new Map((await closedMonths(db)).map((month) => [month.month, month]));
  const here = await monthsHere(db);
  return here
    .filter((month) => month < before)
    .map((month) => ({
      month,
      state: closed.get(month)?.state ?? "open",
      entries: closed.get(month)?.entries ?? null,
      bytes: null,
      refused: null,
      seconds: 0,
    }));
}

async function archiveMonth(deps: ArchiveDeps, month: Month, keep: boolean): Promise<MonthReport> {
  const { db } = deps;
  const begunMs = performance.now();
  const seconds = (): number => Number(((performance.now() - begunMs) / 1000).toFixed(1));
  const find = async (): Promise<ClosedMonth | undefined> =>
    (await closedMonths(db)).find((closed) => closed.month === month);
  if ((await find()) === undefined) {
    const verdict = await seal(deps, month);
    if (verdict.kind === "refused")
      return {
        month,
        state: "open",
        entries: null,
        bytes: null,
        refused: verdict.why,
        seconds: seconds(),
      };
  }
  const sealed = await find();
  if (sealed === undefined) throw new Error(`${month} is sealed and has no row`);
  const bytes = sealed.state === "sealed" ? await write(deps, sealed) : null;
  if (!keep) await drop(deps, month);
  const state = keep ? "archived" : "dropped";
  return { month, state, entries: sealed.entries, bytes, refused: null, seconds: seconds() };
}

async function seal(deps: ArchiveDeps, month: Month): Promise<SealVerdict> {
  const { db, actor, onProgress } = deps;
  onProgress(month, "seal", 0, null);
  return db.transaction(async (tx) => {
    const verdict = await sealMonth(tx, month);
    if (verdict.kind === "sealed")
      await recordAction(tx, {
        ...recordOf(actor, month),
        after: { state: "sealed", entries: verdict.entries.toString() },
      });
    return verdict;
  });
}

const recordOf = (actor: Actor, month: Month) =>
  ({
    ...actor,
    action: "ledger.archive",
    accountId: null,
    subject: month,
    reason: null,
    before: null,
  }) as const;

/** Returns the file's size. */
async function write(
  deps: ArchiveDeps,
  { month, file: before, entries }: ClosedMonth,
): Promise<number> {
  const { db, storage, actor, onProgress } = deps;
  const attempt = attemptOf(before) + 1;
  const file = fileOf(month, attempt);
  if (!(await nameFile(db, month, { file, before }))) throw overtaken(month);
  // What earlier attempts left: their names follow from this one.
  const older = Array.from({ length: attempt - 1 }, (_, nth) => fileOf(month, nth + 1));
  await storage.remove(older.flatMap((name) => [name, manifestOf(name)]));
  const tell = (step: ArchiveStep) => (rows: number) => onProgress(month, step, rows, entries);
  const written = await writeMonthFile({ db, storage, onRows: tell("write") }, month, file);
  if (BigInt(written.rows) !== entries)
    throw new Error(`${month}: ${written.rows} rows were written, and ${entries} are sealed`);
  const wrong = await checkMonthFile({ db, storage, onRows: tell("check") }, month, file, written);
  if (wrong !== null) throw new Error(`${month}: ${file} does not agree with the books: ${wrong}`);
  const { bytes, sha256 } = written;
  await db.transaction(async (tx) => {
    if (!(await markArchived(tx, month, { file, edition: EDITION, bytes, sha256 })))
      throw overtaken(month);
    await recordAction(tx, {
      ...recordOf(actor, month),
      after: { state: "archived", entries: entries.toString(), file, bytes, sha256 },
    });
  });
  return bytes;
}

const overtaken = (month: Month): Error =>
  new Error(`${month}: another archiver has taken it over; run the command again`);

function fileOf(month: Month, attempt: number): string {
  return `entries${month.replace("-", "")}x${attempt}.parquet`;
}

function attemptOf(file: string | null): number {
  return Number(/x(\d+)\.parquet$/.exec(file ?? "")?.[1] ?? 0);
}

/** Requests go on: the lock is asked for again and again, each time for a moment. */
async function drop(deps: ArchiveDeps, month: Month): Promise<void> {
  const { db, actor, onProgress, sleep } = deps;
  onProgress(month, "drop", 0, null);
  for (let tried = 0; ; tried++)
    try {
      await db.transaction(async (tx) => {
        if (await dropMonth(tx, month))
          await recordAction(tx, { ...recordOf(actor, month), after: { state: "dropped" } });
      });
      return;
    } catch (error) {
      const busy = error instanceof Fault && error.code === "overloaded";
      if (!busy || tried === DROP_TRIES) throw error;
      await sleep(backoffMs(tried, DROP_PAUSE, Math.random));
    }
}

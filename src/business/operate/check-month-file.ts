/**
 * Reads a file of the archive back, all of it, and holds it against what was written and against the
 * seals of its month, row by row and sum by sum.
 */
import { createHash } from "node:crypto";
import { type ArchiveFile, openArchiveFile } from "../../archive/archive-file.ts";
import { ENTRY_COLUMNS } from "../../archive/entry-columns.ts";
import { createRowDigest } from "../../archive/row-digest.ts";
import type { EncodedFile } from "../../archive/row-encoder.ts";
import type { Queryable } from "../../db/database.ts";
import type { Month } from "../../ledger/months.store.ts";
import { createSealCheck } from "../../ledger/seal-check.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";

export interface CheckDeps {
  readonly db: Queryable;
  readonly storage: ObjectStorage;
  /** With how many rows are read by now. */
  onRows(rows: number): void;
}

/** Null: it is whole and agrees. Else what does not. */
export async function checkMonthFile(
  { db, storage, onRows }: CheckDeps,
  month: Month,
  file: string,
  written: EncodedFile,
): Promise<string | null> {
  const sha256 = await digestOf(storage, file);
  if (sha256 !== written.sha256) return `its bytes are not those that were written: ${sha256}`;
  const opened = await openArchiveFile(storage, file, ENTRY_COLUMNS);
  if (opened === null) return "it is not there";
  if (opened.rows !== written.rows) return `${opened.rows} rows instead of ${written.rows}`;
  return compare({ db, onRows }, month, opened, written);
}

async function compare(
  { db, onRows }: Omit<CheckDeps, "storage">,
  month: Month,
  file: ArchiveFile<typeof ENTRY_COLUMNS>,
  written: EncodedFile,
): Promise<string | null> {
  const digest = createRowDigest(ENTRY_COLUMNS);
  const seals = createSealCheck(db, month);
  let rows = 0;
  for (const group of file.groups) {
    const read = await file.read(group);
    digest.add(read);
    const wrong = await seals.add(read);
    if (wrong !== null) return wrong;
    rows += read.length;
    onRows(rows);
  }
  if (digest.end() !== written.digest) return "a value in it is not the one that was written";
  return seals.end();
}

async function digestOf(storage: ObjectStorage, file: string): Promise<string | null> {
  const stream = await storage.read(file);
  if (stream === null) return null;
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk as Uint8Array);
  return hash.digest("hex");
}

/** Writes the rows of a sealed month into a file of the archive, and beside it what it is. */
import { Readable } from "node:stream";
import { EDITION, ENTRY_COLUMNS, SOUGHT_BY } from "../../archive/entry-columns.ts";
import { createRowEncoder, type EncodedFile } from "../../archive/row-encoder.ts";
import type { Queryable } from "../../db/database.ts";
import { monthRows } from "../../ledger/month-rows.store.ts";
import type { Month } from "../../ledger/months.store.ts";
import type { ObjectStorage } from "../../storage/object-storage.ts";

/** Rows that the database gives at a time. */
const ROWS_AT_ONCE = 4_096;

export interface WriteDeps {
  readonly db: Queryable;
  readonly storage: ObjectStorage;
  /** With how many rows are written by now. */
  onRows(rows: number): void;
}

export async function writeMonthFile(
  { db, storage, onRows }: WriteDeps,
  month: Month,
  file: string,
): Promise<EncodedFile> {
  const encoder = createRowEncoder({
    columns: ENTRY_COLUMNS,
    soughtBy: SOUGHT_BY,
    about: { month, edition: String(EDITION) },
  });
  let rows = 0;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const some of monthRows(db, month, ROWS_AT_ONCE)) {
      yield encoder.write(some);
      rows += some.length;
      onRows(rows);
    }
    yield encoder.finish();
  }
  await storage.put(file, Readable.from(notEmpty(bytes()), { objectMode: false }), {
    contentType: "application/vnd.apache.parquet",
  });
  const written = encoder.summary();
  await storage.put(manifestOf(file), Readable.from([manifest(month, written)]), {
    contentType: "application/json",
  });
  return written;
}

/** A stream takes a piece of no bytes for its end. */
async function* notEmpty(pieces: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) if (piece.byteLength > 0) yield piece;
}

/** For who has the files alone: what the database knows of them. */
function manifest(month: Month, { rows, bytes, sha256, digest }: EncodedFile): Buffer {
  const columns = Object.values(ENTRY_COLUMNS).map(({ name }) => name);
  return Buffer.from(
    `${JSON.stringify({ month, edition: EDITION, rows, bytes, sha256, digest, columns }, null, 2)}\n`,
  );
}

export function manifestOf(file: string): string {
  return file.replace(/\.parquet$/, ".json");
}

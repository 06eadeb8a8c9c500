/** Makes a Parquet file of rows, a group of them at a time, so that no more is in memory. */
import { createHash } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { assert } from "../kernel/assert.ts";
import { type Columns, type RowOf, schemaOf } from "./column.ts";
import { createRowDigest } from "./row-digest.ts";

export interface RowEncoder<Of extends Columns> {
  /** Takes rows in the order of the file; what of the file is there by now. */
  write(rows: readonly RowOf<Of>[]): Uint8Array;
  /** The rest of the file. */
  finish(): Uint8Array;
  /** Of the whole file, once it is finished. */
  summary(): EncodedFile;
}

export interface EncodedFile {
  readonly rows: number;
  readonly bytes: number;
  /** Hex, of the file. */
  readonly sha256: string;
  /** Hex, of the values of its rows. */
  readonly digest: string;
}

export interface EncoderOptions<Of extends Columns> {
  readonly columns: Of;
  /** By which readers leave out what they do not look for: bounds of their pages are kept. */
  readonly soughtBy: readonly (keyof Of)[];
  /** What is said of the file in its footer. */
  readonly about: Readonly<Record<string, string>>;
}

/**
 * Few enough that one group is decoded in some milliseconds, enough that the footer of a month with
 * tens of millions of rows is a few megabytes.
 */
const GROUP_ROWS = 16_384;
/** Rows with long texts: a group is closed when these take so much. */
const GROUP_CHARACTERS = 32 * 1024 * 1024;
/** Uncompressed; a reader of one row reads a page of each column. */
const PAGE_BYTES = 64 * 1024;
/** Bounds of texts are cut to so much; ids and times are kept whole. */
const BOUND_BYTES = 64;

export function createRowEncoder<Of extends Columns>(options: EncoderOptions<Of>): RowEncoder<Of> {
  const { columns, soughtBy, about } = options;
  const keys = Object.keys(columns) as (keyof Of & string)[];
  const writer = new ByteWriter(1 << 20);
  const parquet = new ParquetWriter({
    writer,
    schema: schemaOf(columns),
    codec: "ZSTD",
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    statisticsTruncateLength: BOUND_BYTES,
    kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    createdBy: "tollgate",
  });
  const hash = createHash("sha256");
  const digest = createRowDigest(columns);
  let waiting: RowOf<Of>[] = [];
  let characters = 0;
  let rows = 0;
  let finished: EncodedFile | null = null;

  function closeGroup(): void {
    if (waiting.length === 0) return;
    const group = waiting;
    [waiting, characters] = [[], 0];
    rows += group.length;
    digest.add(group);
    const pending = parquet.write({
      columnData: keys.map((key) => ({
        name: columns[key]?.name ?? key,
        data: group.map((row) => row[key]),
        columnIndex: soughtBy.includes(key),
      })),
      rowGroupSize: group.length,
      pageSize: PAGE_BYTES,
    });
    assert(pending === undefined, "what is written to memory is written at once");
  }

  /** The writer goes on in the same memory, so its bytes are copied. */
  function take(): Uint8Array {
    const bytes = Uint8Array.from(writer.getBytes());
    writer.index = 0;
    hash.update(bytes);
    return bytes;
  }

  return {
    write(given) {
      for (const row of given) {
        waiting.push(row);
        characters += lengthOf(row);
        if (waiting.length >= GROUP_ROWS || characters >= GROUP_CHARACTERS) closeGroup();
      }
      return take();
    },
    finish() {
      closeGroup();
      const pending = parquet.finish();
      assert(pending === undefined, "what is written to memory is written at once");
      const last = take();
      finished = { rows, bytes: writer.offset, sha256: hash.digest("hex"), digest: digest.end() };
      return last;
    },
    summary() {
      assert(finished !== null, "a file has a summary once it is finished");
      return finished;
    },
  };
}

function lengthOf(row: Readonly<Record<string, unknown>>): number {
  let characters = 0;
  for (const value of Object.values(row)) {
    if (typeof value === "string") characters += value.length;
  }
  return characters;
}

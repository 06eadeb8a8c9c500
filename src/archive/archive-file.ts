/**
 * Reads a file of the archive: all of it in order, or those rows that are asked for, by the bounds of
 * groups and pages, so that a few rows of millions cost a few pages. Its library is loaded with the
 * first file: most installations have none.
 */
import { zstdDecompressSync } from "node:zlib";
import type {
  AsyncBuffer,
  FileMetaData,
  ParquetParsers,
  ParquetQueryFilter,
  ParquetScan,
} from "hyparquet";
import type { ObjectStorage } from "../storage/object-storage.ts";
import type { Columns, RowOf } from "./column.ts";
import { openRangedFile } from "./ranged-file.ts";

/** From the first on, up to the last and without it; of the whole file. */
export interface RowRange {
  readonly rowStart: number;
  readonly rowEnd: number;
}

/** A group of rows, with the least and the greatest value of a column where they are known. */
export interface RowGroupBounds extends RowRange {
  bounds(key: string): { readonly min: unknown; readonly max: unknown } | null;
}

export interface ArchiveFile<Of extends Columns> {
  readonly rows: number;
  /** What was said of it when it was written. */
  readonly about: ReadonlyMap<string, string>;
  readonly groups: readonly RowGroupBounds[];
  /** Ranges of a group outside of which nothing is that agrees with the filter. */
  prune(group: RowRange, filter: ParquetQueryFilter): Promise<readonly RowRange[]>;
  /** One column of some rows of one group. */
  column<Key extends keyof Of>(range: RowRange, key: Key): Promise<readonly RowOf<Of>[Key][]>;
  /** All columns of some rows of one group. */
  read(range: RowRange): Promise<RowOf<Of>[]>;
}

const COMPRESSORS = { ZSTD: (bytes: Uint8Array): Uint8Array => zstdDecompressSync(bytes) };

const PARSERS: Partial<ParquetParsers> = {
  timestampFromMicroseconds: (micros) => micros,
  uuidFromBytes: (bytes: Uint8Array | undefined) =>
    bytes === undefined ? undefined : uuidOf(bytes),
};

function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Null: there is no such object. Throws for what is no such file. */
export async function openArchiveFile<Of extends Columns>(
  storage: ObjectStorage,
  key: string,
  columns: Of,
): Promise<ArchiveFile<Of> | null> {
  const file = await openRangedFile(storage, key);
  if (file === null) return null;
  const { parquetMetadataAsync } = await import("hyparquet");
  const metadata = await parquetMetadataAsync(file, { parsers: PARSERS });
  const known = new Set(metadata.schema.map(({ name }) => name));
  const keys: readonly (keyof Of)[] = Object.keys(columns);
  /** All rows, unpruned: its ranges are the groups. */
  const whole = await scanOf(file, metadata);

  async function column<Key extends keyof Of>(
    range: RowRange,
    name: Key,
  ): Promise<readonly RowOf<Of>[Key][]> {
    const values = await valuesOf(known, whole, columns[name]?.name ?? "", range);
    return values as readonly RowOf<Of>[Key][];
  }

  return {
    rows: Number(metadata.num_rows),
    about: new Map(
      (metadata.key_value_metadata ?? []).map(({ key: name, value }) => [name, value ?? ""]),
    ),
    groups: groupsOf(metadata, columns),
    async prune(group, filter) {
      const scan = await scanOf(file, metadata, { ...group, filter });
      return scan.ranges;
    },
    column,
    async read(range) {
      const values = await Promise.all(keys.map((name) => column(range, name)));
      return Array.from(
        { length: range.rowEnd - range.rowStart },
        (_, nth) =>
          Object.fromEntries(keys.map((name, at) => [name, values[at]?.[nth]])) as RowOf<Of>,
      );
    },
  };
}

async function scanOf(
  file: AsyncBuffer,
  metadata: FileMetaData,
  pruned?: RowRange & { readonly filter: ParquetQueryFilter },
): Promise<ParquetScan> {
  const { parquetScan } = await import("hyparquet");
  return parquetScan({
    file,
    metadata,
    compressors: COMPRESSORS,
    parsers: PARSERS,
    ...(pruned && {
      rowStart: pruned.rowStart,
      rowEnd: pruned.rowEnd,
      pruningFilter: pruned.filter,
      usePageIndex: true,
    }),
  });
}

/** A column that came after the file was written has nothing in it. */
async function valuesOf(
  known: ReadonlySet<string>,
  scan: ParquetScan,
  name: string,
  range: RowRange,
): Promise<readonly unknown[]> {
  if (!known.has(name)) return Array.from({ length: range.rowEnd - range.rowStart }, () => null);
  const values: ArrayLike<unknown> = await scan.readColumn({ ...range, column: name });
  return Array.from(values, (value) => value ?? null);
}

function groupsOf(metadata: FileMetaData, columns: Columns): RowGroupBounds[] {
  let rowStart = 0;
  return metadata.row_groups.map((group) => {
    const range = { rowStart, rowEnd: rowStart + Number(group.num_rows) };
    rowStart = range.rowEnd;
    return {
      ...range,
      bounds(key) {
        const chunk = group.columns.find(
          ({ meta_data: about }) => about?.path_in_schema[0] === columns[key]?.name,
        );
        const { min_value: min, max_value: max } = chunk?.meta_data?.statistics ?? {};
        return min === undefined || max === undefined ? null : { min, max };
      },
    };
  });
}

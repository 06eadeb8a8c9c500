/**
 * A digest of rows by their values: what was given to the encoder, and what is read back from the
 * file, are the same exactly when these are.
 */
import { createHash } from "node:crypto";
import type { Columns, RowOf } from "./column.ts";

export interface RowDigest<Of extends Columns> {
  add(rows: readonly RowOf<Of>[]): void;
  /** Hex. Nothing is added after it. */
  end(): string;
}

/** No text of PostgreSQL has a NUL in it. */
const NULL = "\0";
const END_OF_VALUE = "\0\u0001";
const END_OF_ROW = "\0\u0002";

export function createRowDigest<Of extends Columns>(columns: Of): RowDigest<Of> {
  const hash = createHash("sha256");
  const keys: readonly (keyof Of)[] = Object.keys(columns);
  return {
    add(rows) {
      let words = "";
      for (const row of rows) {
        for (const key of keys) words += String(row[key] ?? NULL) + END_OF_VALUE;
        words += END_OF_ROW;
      }
      hash.update(words);
    },
    end: () => hash.digest("hex"),
  };
}

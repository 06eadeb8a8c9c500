/**
 * Protects: what is written to an archive is what is read from it, value by value, on both kinds of
 * storage; and a few rows of many are found by a few reads of the file.
 */
// Runs in a process of its own: the S3 server that it loads changes Node's fs.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { test } from "node:test";
import { openStoragePlace, STORAGE_KINDS } from "../../test/storage/storage-places.ts";
import type { ObjectStorage } from "../storage/object-storage.ts";
import { type ArchiveFile, openArchiveFile } from "./archive-file.ts";
import { int4, int8, moment, optional, type RowOf, text, uuid } from "./column.ts";
import { newestRows, type RowSearch } from "./newest-rows.ts";
import { createRowDigest } from "./row-digest.ts";
import { createRowEncoder, type EncodedFile } from "./row-encoder.ts";

const COLUMNS = {
  accountId: uuid("account_id"),
  entryId: uuid("entry_id"),
  n: int8("n"),
  at: moment("at"),
  version: optional(int4("version")),
  keyId: optional(uuid("key_id")),
  model: optional(text("model")),
  amount: int8("amount"),
  detail: optional(text("detail")),
};
type Row = RowOf<typeof COLUMNS>;

const ACCOUNTS = 40;
const ROWS = 50_000;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0");
const accountOf = (nth: number): string => `${hex(nth * 977 + 1, 8)}-0000-7000-8000-000000000000`;

/** As a receipt's: a text that cannot be made much smaller. */
function detailOf(nth: number): string {
  const chance = createHash("sha512").update(`${nth}`).digest("base64");
  return `{"a":"${chance.repeat((nth % 3) + 1)}\\u0000 \u{1F600}","n":${nth}}`;
}

/** One account has half of all rows; numbers are nearly in the order of ids, as in the ledger. */
function makeRows(): Row[] {
  return Array.from({ length: ROWS }, (_, nth): Row => {
    const account = nth % 2 === 0 ? 7 : nth % ACCOUNTS;
    const swapped = nth % 10 === 0 ? nth + 30 : nth;
    return {
      accountId: accountOf(account),
      entryId: `${hex(0x01900000 + nth, 8)}-0000-7000-8000-${hex(nth * 7919, 12)}`,
      n: BigInt(swapped * 1000 + account),
      at: 1_700_000_000_123_456n + BigInt(nth),
      version: nth % 3 === 0 ? null : nth,
      keyId: nth % 5 === 0 ? null : accountOf(nth % 11),
      model: nth % 4 === 0 ? null : `модель-${nth % 9}`,
      amount: nth % 7 === 0 ? 9_223_372_036_854_775_807n : -BigInt(nth),
      detail: nth % 6 === 0 ? null : detailOf(nth),
    };
  }).toSorted((a, b) => (a.accountId + a.entryId < b.accountId + b.entryId ? -1 : 1));
}

const SOUGHT = ["accountId", "entryId", "n"] as const;

async function store(
  storage: ObjectStorage,
  key: string,
  rows: readonly Row[],
): Promise<EncodedFile> {
  const encoder = createRowEncoder({
    columns: COLUMNS,
    soughtBy: SOUGHT,
    about: { month: "2026-01" },
  });
  function* bytes(): Generator<Uint8Array> {
    for (let at = 0; at < rows.length; at += 3_000) yield encoder.write(rows.slice(at, at + 3_000));
    yield encoder.finish();
  }
  await storage.put(key, Readable.from(bytes(), { objectMode: false }), {
    contentType: "application/vnd.apache.parquet",
  });
  return encoder.summary();
}

/** Tells how many bytes were read. */
function counting(storage: ObjectStorage): { storage: ObjectStorage; bytes(): number } {
  let bytes = 0;
  return {
    storage: {
      ...storage,
      read(key, range) {
        bytes += range === undefined ? Infinity : range.last - range.first + 1;
        return storage.read(key, range);
      },
    },
    bytes: () => bytes,
  };
}

async function readAll(file: ArchiveFile<typeof COLUMNS>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const group of file.groups) rows.push(...(await file.read(group)));
  return rows;
}

const search = (given: Partial<RowSearch<typeof COLUMNS>>): RowSearch<typeof COLUMNS> => ({
  where: {},
  by: "entryId",
  within: { from: null, below: null },
  limit: 20,
  ...given,
});

for (const kind of STORAGE_KINDS)
  test(`a file comes back from ${kind} storage as it was written`, async () => {
    await using place = await openStoragePlace(kind);
    const rows = makeRows();
    const written = await store(place.storage, "a1.parquet", rows);
    assert.equal(written.rows, ROWS);
    assert.equal(await place.storage.size("a1.parquet"), written.bytes);

    const file = await openArchiveFile(place.storage, "a1.parquet", COLUMNS);
    assert.ok(file !== null);
    assert.equal(file.rows, ROWS);
    assert.equal(file.about.get("month"), "2026-01");
    const read = await readAll(file);
    assert.deepEqual(read, rows);
    const digest = createRowDigest(COLUMNS);
    digest.add(read);
    assert.equal(digest.end(), written.digest);
    assert.equal(await openArchiveFile(place.storage, "a2.parquet", COLUMNS), null);
  });

test("a file of before a column was added has nothing in it, beside what it has", async () => {
  await using place = await openStoragePlace("local");
  const rows = makeRows().slice(0, 100);
  await store(place.storage, "older.parquet", rows);
  const newer = { ...COLUMNS, creditClass: optional(text("class")) };
  const file = await openArchiveFile(place.storage, "older.parquet", newer);
  const [group] = file?.groups ?? [];
  assert.ok(file !== null && group !== undefined);
  assert.deepEqual(
    await file.read(group),
    rows.map((row) => ({ ...row, creditClass: null })),
  );
});

test("pages of an account are the newest first, by ids and by numbers, within bounds", async () => {
  await using place = await openStoragePlace("local");
  const rows = makeRows();
  await store(place.storage, "a1.parquet", rows);
  const file = await openArchiveFile(place.storage, "a1.parquet", COLUMNS);
  assert.ok(file !== null);
  for (const account of [3, 7, 8, 39])
    for (const by of ["entryId", "n"] as const) {
      const mine = rows
        .filter(({ accountId }) => accountId === accountOf(account))
        .toSorted((a, b) => (a[by] < b[by] ? 1 : -1));
      const where = { accountId: accountOf(account) };
      assert.ok(mine.length > 100 || account % 2 === 0);
      let below: string | bigint | null = null;
      for (let page = 0; page < 4; page++) {
        const wanted = mine.slice(page * 20, page * 20 + 20);
        const found: readonly Row[] = await newestRows(
          file,
          COLUMNS,
          search({ where, by, within: { from: null, below } }),
        );
        assert.deepEqual(found, wanted, `${account} by ${by}`);
        below = wanted.at(-1)?.[by] ?? below;
      }
      const from = mine[Math.min(25, mine.length - 1)]?.[by] ?? null;
      const bounded = search({ where, by, within: { from, below: null }, limit: 1_000 });
      assert.deepEqual(await newestRows(file, COLUMNS, bounded), mine.slice(0, 26));
      const [least, most] = [mine[9]?.at ?? 0n, mine[4]?.at ?? 0n];
      const besides = { key: "at", from: least, below: most } as const;
      assert.deepEqual(
        await newestRows(file, COLUMNS, search({ where, by, besides })),
        mine.filter(({ at }) => at >= least && at < most),
      );
      const rare = { where, by, among: { model: ["модель-3"], version: [4_001, 8_013, 12_003] } };
      assert.deepEqual(
        await newestRows(file, COLUMNS, search(rare)),
        mine.filter(
          ({ model, version }) =>
            model === "модель-3" && [4_001, 8_013, 12_003].includes(version ?? 0),
        ),
      );
    }
  const nobody = search({ where: { accountId: accountOf(99) } });
  assert.deepEqual(await newestRows(file, COLUMNS, nobody), []);
});

test("one row of many costs a few blocks of the file", async () => {
  await using place = await openStoragePlace("s3");
  const rows = makeRows();
  const { bytes } = await store(place.storage, "a1.parquet", rows);
  const counted = counting(place.storage);
  const file = await openArchiveFile(counted.storage, "a1.parquet", COLUMNS);
  assert.ok(file !== null);
  const row = rows[31_234];
  assert.ok(row !== undefined);
  const one = search({ where: { accountId: row.accountId, entryId: row.entryId }, limit: 1 });
  assert.deepEqual(await newestRows(file, COLUMNS, one), [row]);
  assert.ok(bytes > 3_000_000, `${bytes} bytes in the file`);
  assert.ok(counted.bytes() < bytes / 2, `${counted.bytes()} of ${bytes} bytes were read`);
});

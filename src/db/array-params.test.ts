/**
 * Binary arrays arrive in PostgreSQL as the values they were made of; what does not fit is refused
 * before it is sent.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid } from "../kernel/ids.ts";
import {
  bigintArray,
  booleanArray,
  integerArray,
  textArray,
  timestampArray,
  uuidArray,
} from "./array-params.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

const same = <T>(value: T): T => value;

/** What PostgreSQL makes of the parameter, as JSON would show it. */
async function read(type: string, param: Buffer): Promise<(string | null)[]> {
  const rows = await database.db.query<{ value: string | null }>(
    `SELECT u.value::text AS value FROM unnest($1::${type}[]) WITH ORDINALITY AS u (value, at) ORDER BY u.at`,
    [param],
  );
  return rows.map((row) => row.value);
}

test("ids, numbers, truths and times come through, nulls among them, and so does nothing at all", async () => {
  const [one, other] = [newUuid(), "ffffffff-ffff-ffff-ffff-0123456789ab"];
  assert.deepEqual(await read("uuid", uuidArray([one, null, other], same)), [one, null, other]);
  const bigints = [0n, -1n, null, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n];
  assert.deepEqual(await read("bigint", bigintArray(bigints, same)), [
    "0",
    "-1",
    null,
    "9223372036854775807",
    "-9223372036854775808",
  ]);
  assert.deepEqual(
    await read("int", integerArray([0, -1, null, 2_147_483_647, -2_147_483_648], same)),
    ["0", "-1", null, "2147483647", "-2147483648"],
  );
  assert.deepEqual(await read("boolean", booleanArray([true, null, false], same)), [
    "true",
    null,
    "false",
  ]);
  const times = [new Date("2026-11-21T09:30:00.125Z"), null, new Date("1969-12-31T23:59:59.999Z")];
  const rows = await database.db.query<{ at: Date | null }>(
    "SELECT unnest($1::timestamptz[]) AS at",
    [timestampArray(times, same)],
  );
  assert.deepEqual(
    rows.map((row) => row.at),
    times,
  );
  for (const [type, param] of [
    ["uuid", uuidArray([], same)],
    ["bigint", bigintArray([], same)],
    ["int", integerArray([], same)],
    ["boolean", booleanArray([], same)],
    ["timestamptz", timestampArray([], same)],
    ["text", textArray([], same)],
  ] as const) {
    assert.deepEqual(await read(type, param), []);
  }
});

test("several columns of the rows go one behind the other, numbers of both kinds among them", async () => {
  const rows = [
    { id: newUuid(), other: newUuid(), word: "a", amount: 3n, count: 7 },
    { id: newUuid(), other: null, word: null, amount: -4n, count: Number.MAX_SAFE_INTEGER },
  ];
  const [first, second] = rows;
  const ids = uuidArray(
    rows,
    (row) => row.other,
    (row) => row.id,
  );
  assert.deepEqual(await read("uuid", ids), [first?.other, null, first?.id, second?.id]);
  const numbers = bigintArray(
    rows,
    (row) => row.count,
    (row) => row.amount,
    () => null,
  );
  assert.deepEqual(await read("bigint", numbers), ["7", "9007199254740991", "3", "-4", null, null]);
  const words = textArray(
    rows,
    () => "é".repeat(100),
    (row) => row.word,
  );
  assert.deepEqual(await read("text", words), ["é".repeat(100), "é".repeat(100), "a", null]);
});

test("any texts come through, short and long, of any characters; only NUL and lone surrogates become U+FFFD", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.string({ unit: "binary-ascii", maxLength: 200 }),
    fc.string({ unit: fc.constantFrom("я", "€", "😀", '"', "\\", "\0", "\ud83d"), maxLength: 100 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { maxLength: 8 }), async (texts) => {
      const expected = texts.map(
        (value) => value?.toWellFormed().replaceAll("\0", "\uFFFD") ?? null,
      );
      assert.deepEqual(await read("text", textArray(texts, same)), expected);
    }),
    { numRuns: 300 },
  );
});

test("what is not of the type is refused", () => {
  const valid = newUuid();
  const wrong = [
    `${valid}0`,
    valid.slice(1),
    valid.toUpperCase(),
    valid.replace("-", "0"),
    `${valid.slice(1)}g`,
    `${valid.slice(1)}é`,
    "",
  ];
  for (const id of wrong) assert.throws(() => uuidArray([valid, id], same), /is not a UUID/, id);
  for (const value of [2n ** 63n, -(2n ** 63n) - 1n, 2 ** 53, 0.5, Number.NaN])
    assert.throws(() => bigintArray([value], same), RangeError);
  for (const value of [2 ** 31, 0.5, Number.NaN])
    assert.throws(() => integerArray([value], same), RangeError);
  assert.throws(() => timestampArray([new Date(Number.NaN)], same), RangeError);
});

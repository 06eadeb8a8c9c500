/**
 * A declared statement runs the same through the handle, a transaction and a hot connection, and
 * the compiler holds its callers to the types that it is declared with.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import { nano, type Nano } from "../kernel/money.ts";
import { bigintArray, uuidArray } from "./array-params.ts";
import type { Queryable } from "./database.ts";
import { createHotConnection } from "./hot-connection.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";

const STATES = ["open", "blocked"] as const;

const ECHO = statement({
  text: `SELECT $1::int8 AS "amountNano", $2::text AS note, 'open' AS state, '{"tries":2}'::jsonb AS detail, u.id FROM unnest($3::uuid[]) u (id)`,
  parameters: [sql.nano, sql.nullable(sql.text), sql.array(sql.uuid)],
  row: {
    amountNano: sql.nano,
    note: sql.nullable(sql.text),
    state: sql.oneOf(STATES),
    detail: sql.jsonb.as<{ readonly tries: number }>(),
    id: sql.uuid,
  },
});
const NOTHING = statement({ text: "SELECT WHERE false" });

interface Echo {
  readonly amountNano: Nano;
  readonly note: string | null;
  readonly state: "open" | "blocked";
  readonly detail: { readonly tries: number };
  readonly id: Uuid;
}

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

test("rows arrive through the handle, a transaction and a hot connection alike", async () => {
  const id = newUuid();
  const expected: Echo[] = [
    { amountNano: nano(5n), note: null, state: "open", detail: { tries: 2 }, id },
  ];
  const echo = (q: Queryable): Promise<Echo[]> => q.run(ECHO, [nano(5n), null, [id]]);
  assert.deepEqual(await echo(database.db), expected);
  assert.deepEqual(await database.db.transaction(echo), expected);
  assert.deepEqual(
    await database.db.run(ECHO, [nano(5n), null, uuidArray([id], (one) => one)]),
    expected,
  );
  assert.deepEqual(await database.db.run(NOTHING, []), []);
  const hot = createHotConnection({
    url: database.url,
    applicationName: "test",
    onError: () => {},
  });
  assert.deepEqual(await hot.transact(echo, 5_000), { kind: "committed", value: expected });
  await hot.close();
});

// Never called: it is the compiler that insists on an error in each of these places.
export async function refusedByTheCompiler(q: Queryable): Promise<void> {
  // @ts-expect-error: a bigint is no amount of money
  await q.run(ECHO, [5n, null, []]);
  // @ts-expect-error: a null where none is taken
  await q.run(ECHO, [null, null, []]);
  // @ts-expect-error: too few
  await q.run(ECHO, [nano(5n), null]);
  // @ts-expect-error: too many
  await q.run(NOTHING, [1]);
  // @ts-expect-error: an array of another type in its binary form
  await q.run(ECHO, [nano(5n), null, bigintArray([], () => 0n)]);
  const [row] = await q.run(ECHO, [nano(5n), null, []]);
  // @ts-expect-error: a column that does not come back
  void row?.missing;
  // @ts-expect-error: it may be null
  void row?.note.length;
  // @ts-expect-error: not in the list
  void (row?.state === "closed");
}

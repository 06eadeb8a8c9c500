/**
 * Protects: a customer who looks for a rare task among many does not wait for all of them to be
 * read.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { queryableThrough } from "../../test/support/queryable-through.ts";
import { newUuid } from "../kernel/ids.ts";
import { listTasks, type TaskPage } from "./tasks.store.ts";

const COUNT = 30_000;
/** Of the index and the found rows; the table has thousands. */
const FEW_BLOCKS = 150;

const accountId = newUuid();
const [busyKey, rareKey] = [newUuid(), newUuid()];
let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  // One of the rare key, two of the rare model, three that failed; all of them old.
  await database.db.query(
    `INSERT INTO tasks.tasks (task_id, account_id, key_id, request_id, model, parameter_table, parameters, state, price_version, price_nano,
       cost_state, charged_nano, result, error_code, error_message, completed_at, deadline_at)
     SELECT uuidv7(-($1 - n) * interval '1 second'), $2, CASE n WHEN 90 THEN $4::uuid ELSE $3::uuid END, uuidv7(),
       CASE WHEN n IN (70, 71) THEN 'rare' ELSE 'often-' || n % 5 END, 'T1', json_build_object('prompt', repeat('cat ', 100)),
       CASE WHEN bad THEN 'failed' ELSE 'completed' END::tasks.state, 1, 9, CASE WHEN bad THEN 'released' ELSE 'charged' END::tasks.cost_state,
       CASE WHEN NOT bad THEN 9 END, CASE WHEN NOT bad THEN '{}'::json END, CASE WHEN bad THEN 'x' END, CASE WHEN bad THEN 'x' END, now(), now()
     FROM (SELECT n, n IN (80, 81, 82) AS bad FROM generate_series(1, $1::int) n) made`,
    [COUNT, accountId, busyKey, rareKey],
  );
  await database.db.query("VACUUM (ANALYZE) tasks.tasks");
});
after(() => database.drop());

/** How many are found, and how many blocks are read for that. */
async function look(
  wanted: Partial<TaskPage>,
): Promise<{ readonly found: number; readonly blocks: number }> {
  const page = { accountId, state: null, model: null, before: null, limit: 50, ...wanted };
  const found = (await listTasks(database.db, page)).length;
  let blocks = 0;
  const explaining = queryableThrough(async (text, parameters) => {
    const plan = await database.db.query<
      Record<string, readonly { readonly Plan: Record<string, number> }[]>
    >(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, parameters);
    const top = plan[0]?.["QUERY PLAN"]?.[0]?.Plan;
    blocks =
      (top?.["Shared Hit Blocks"] ?? Number.NaN) + (top?.["Shared Read Blocks"] ?? Number.NaN);
    return [];
  });
  await listTasks(explaining, page);
  return { found, blocks };
}

for (const [what, wanted, expected] of [
  ["a rare model", { model: "rare" }, 2],
  ["a rare state", { state: "failed" }, 3],
  ["a state that none has", { state: "queued" }, 0],
  ["a rare key", { keyIds: [rareKey] }, 1],
  ["a rare model of a busy key", { model: "rare", keyIds: [busyKey], state: "completed" }, 2],
  ["what does not exist", { model: "never" }, 0],
] as const) {
  test(`${what} is found without reading the account's other tasks`, async () => {
    const { found, blocks } = await look(wanted);
    assert.equal(found, expected);
    assert.ok(blocks < FEW_BLOCKS, `${blocks} blocks were read`);
  });
}

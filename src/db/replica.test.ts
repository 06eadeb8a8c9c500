/**
 * Protects: what is put together of several questions is never read from a newer server first, and a
 * server that is no standby of ours is never read from. Two databases stand in for primary and
 * replica; a real standby is in test/replica.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { createReplica, readThrough } from "./replica.ts";
import { replicaMistake } from "./replica-state.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";

const WHERE = statement({
  text: "SELECT current_database()::text AS name",
  row: { name: sql.text },
});
/** Only the primary has it. */
const THERE = statement({ text: "SELECT name FROM only_there", row: { name: sql.text } });

let primary: TestDatabase;
let replica: TestDatabase;
before(async () => {
  [primary, replica] = [await testDatabase(), await testDatabase()];
  await primary.db.query("CREATE TABLE only_there AS SELECT 'primary'::text AS name");
});
after(async () => {
  await primary.drop();
  await replica.drop();
});

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

test("it reads from the replica until one statement fails there, and then from the primary for good", async () => {
  const failures: unknown[] = [];
  const reading = readThrough(replica.db, primary.db, (error) => failures.push(error));
  assert.deepEqual(await reading.run(WHERE, []), [{ name: nameOf(replica) }]);
  assert.deepEqual(await reading.run(THERE, []), [{ name: "primary" }]);
  assert.deepEqual(await reading.run(WHERE, []), [{ name: nameOf(primary) }]);
  assert.equal(failures.length, 1);
});

test("where several fail at once, it is told once and each is answered", async () => {
  let failures = 0;
  const reading = readThrough(replica.db, primary.db, () => failures++);
  const answers = await Promise.all([1, 2, 3].map(() => reading.run(THERE, [])));
  assert.deepEqual(
    answers.map((rows) => rows[0]?.name),
    ["primary", "primary", "primary"],
  );
  assert.equal(failures, 1);
});

test("a server that replays no log is passed over, however near it is", async () => {
  const watched = createReplica({
    primary: primary.db,
    ways: [replica.db],
    maxLagMs: 60_000,
    nowMs: () => 0,
    onError: () => assert.fail("nothing is read there"),
  });
  assert.equal(watched.reading(), null, "before the first look");
  await watched.look();
  assert.deepEqual(watched.state(), { lagMs: null, trouble: "not_a_standby" });
  assert.equal(watched.reading(), null);
});

test("a standby of another server, of another database or of another timeline is none of ours", () => {
  const ours = { cluster: 1n, database: "tollgate", timeline: 2 };
  const standby = { ...ours, inRecovery: true };
  assert.equal(replicaMistake(ours, standby), null);
  assert.equal(replicaMistake(ours, { ...standby, cluster: 2n }), "another_cluster");
  assert.equal(replicaMistake(ours, { ...standby, database: "staging" }), "another_database");
  assert.equal(replicaMistake(ours, { ...standby, timeline: 1 }), "another_timeline");
  assert.equal(replicaMistake(ours, { ...standby, inRecovery: false }), "not_a_standby");
});

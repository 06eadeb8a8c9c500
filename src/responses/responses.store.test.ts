/**
 * Kept answers are their account's alone, count in its room to the byte over any number of
 * processes, and go with their time.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newResponse } from "../../test/support/new-response.ts";
import { openDatabase, type Db } from "../db/database.ts";
import { newUuid, type Uuid } from "../kernel/ids.ts";
import {
  deleteResponse,
  findChain,
  findItemOwners,
  findResponse,
  findResponses,
  keepResponse,
} from "./responses.store.ts";
import type { NewResponse } from "./stored-response.ts";
import { deleteExpiredResponses } from "./sweep.store.ts";

let database: TestDatabase;
/** As another process sees the database. */
let elsewhere: Db;
before(async () => {
  database = await testDatabase();
  elsewhere = openDatabase({
    url: database.url,
    poolSize: 10,
    applicationName: "elsewhere",
    onError: () => undefined,
  });
});
after(async () => {
  await elsewhere.close();
  await database.drop();
});

async function kept(change: Partial<NewResponse> = {}): Promise<NewResponse> {
  const response = newResponse(change);
  assert.equal(await keepResponse(database.db, response), "kept");
  return response;
}

async function keptBytes(accountId: Uuid): Promise<number> {
  const [row] = await database.db.query<{ bytes: bigint }>(
    "SELECT kept_bytes AS bytes FROM files.usage WHERE account_id = $1",
    [accountId],
  );
  return Number(row?.bytes ?? 0n);
}

const sizeOf = ({ sealedInput, sealedResponse }: NewResponse): number =>
  sealedInput.length + sealedResponse.length;

/** As if so much time had passed. */
async function age({ accountId, responseId }: NewResponse): Promise<void> {
  await database.db.query(
    "UPDATE responses.responses SET expires_at = clock_timestamp() - interval '1 second' WHERE account_id = $1 AND response_id = $2",
    [accountId, responseId],
  );
}

test("what is kept is found on any process, by its account and by nobody else", async () => {
  const one = await kept();
  const { responseId, sealedInput, sealedResponse } = one;
  assert.deepEqual(await findResponse(elsewhere, one), { responseId, sealedInput, sealedResponse });
  const stranger = { accountId: newUuid(), responseId };
  assert.equal(await findResponse(elsewhere, stranger), null);
  assert.deepEqual(await findChain(elsewhere, stranger, 10), []);
  assert.deepEqual(await findResponses(elsewhere, stranger.accountId, [responseId]), []);
  assert.equal(await deleteResponse(elsewhere, stranger), false);
  assert.notEqual(await findResponse(elsewhere, one), null);
});

test("the same answer again takes no more room, and another request's cannot have its id", async () => {
  const one = await kept();
  assert.equal(await keepResponse(elsewhere, one), "kept");
  assert.equal(await keptBytes(one.accountId), sizeOf(one));
  const other = { ...one, requestId: newUuid(), sealedResponse: Buffer.from("another") };
  assert.equal(await keepResponse(elsewhere, other), "taken");
  assert.deepEqual((await findResponse(elsewhere, one))?.sealedResponse, one.sealedResponse);
});

test("answers and files together never take more than the account has, whoever keeps them", async () => {
  const accountId = newUuid();
  await database.db.query(
    "INSERT INTO files.usage (account_id, bytes, files) VALUES ($1, 500, 1)",
    [accountId],
  );
  const sealed = { sealedInput: Buffer.alloc(60), sealedResponse: Buffer.alloc(40) };
  const wish = (): NewResponse => newResponse({ accountId, quotaBytes: 1_000, ...sealed });
  const verdicts = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      keepResponse(index % 2 === 0 ? database.db : elsewhere, wish()),
    ),
  );
  assert.equal(verdicts.filter((verdict) => verdict === "kept").length, 5);
  assert.equal(verdicts.filter((verdict) => verdict === "full").length, 15);
  assert.equal(await keptBytes(accountId), 500);
});

test("a deletion gives the room back once, and takes the items' ids with it", async () => {
  const one = await kept({ itemIds: ["msg_a", "msg_b"] });
  const both = await Promise.all([
    deleteResponse(database.db, one),
    deleteResponse(elsewhere, one),
  ]);
  assert.deepEqual(both.toSorted(), [false, true]);
  assert.equal(await keptBytes(one.accountId), 0);
  assert.equal(await findResponse(elsewhere, one), null);
  assert.deepEqual(await findItemOwners(elsewhere, one.accountId, ["msg_a"]), []);
});

test("what is over is not found, and its room comes back with the sweep, once for all sweepers", async () => {
  const accountId = newUuid();
  const over = await Promise.all([kept({ accountId }), kept({ accountId })]);
  const stays = await kept({ accountId });
  await Promise.all(over.map(age));
  assert.equal(await findResponse(elsewhere, over[0] ?? assert.fail()), null);
  const swept = await Promise.all([
    database.db.transaction((tx) => deleteExpiredResponses(tx, 100)),
    elsewhere.transaction((tx) => deleteExpiredResponses(tx, 100)),
  ]);
  assert.equal((swept[0] ?? 0) + (swept[1] ?? 0), 2);
  assert.equal(await keptBytes(accountId), sizeOf(stays));
  assert.notEqual(await findResponse(elsewhere, stays), null);
});

test("one that is over and was not swept yet is no more to be deleted, and gives its room back", async () => {
  const one = await kept();
  await age(one);
  assert.equal(await deleteResponse(database.db, one), false);
  assert.equal(await keptBytes(one.accountId), 0);
});

test("a conversation is its answers from the newest to the first, or to the one that sums it up", async () => {
  const accountId = newUuid();
  const first = await kept({ accountId });
  const second = await kept({ accountId, previousId: first.responseId, turns: 2 });
  const third = await kept({ accountId, previousId: second.responseId, turns: 1, anew: true });
  const fourth = await kept({ accountId, previousId: third.responseId, turns: 2 });
  const chain = async (of: NewResponse, limit = 10): Promise<string[]> =>
    (await findChain(elsewhere, of, limit)).map(({ responseId }) => responseId);
  assert.deepEqual(await chain(second), [second.responseId, first.responseId]);
  assert.deepEqual(await chain(fourth), [fourth.responseId, third.responseId]);
  assert.deepEqual(await chain(second, 1), [second.responseId]);
  await deleteResponse(database.db, first);
  assert.deepEqual(await chain(second), [second.responseId]);
});

test("items lead to the answers that have them, each once, and to no other account's", async () => {
  const accountId = newUuid();
  const one = await kept({ accountId, itemIds: ["rs_1", "msg_1"] });
  const other = await kept({ accountId, itemIds: ["msg_2"] });
  await kept({ itemIds: ["msg_3"] });
  const found = await findItemOwners(elsewhere, accountId, ["rs_1", "msg_1", "msg_2", "msg_3"]);
  assert.deepEqual(
    found.map(({ responseId, bytes }) => [responseId, bytes]).toSorted(),
    [
      [one.responseId, sizeOf(one)],
      [other.responseId, sizeOf(other)],
    ].toSorted(),
  );
});

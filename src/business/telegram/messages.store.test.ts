/**
 * Protects: messages of a chat leave one after the other and never by two processes at once, a chat that
 * waits holds up no other, and what a process died with is another's when its time is over.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { createSeal } from "../../kernel/seal.ts";
import {
  claimMessages,
  enqueueMessage,
  noteFailed,
  noteSent,
  putOff,
  type ClaimedMessage,
} from "./messages.store.ts";

const seal = createSeal("a secret of at least thirty-two characters");
let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());
beforeEach(() => database.db.query("DELETE FROM telegram.messages"));

const put = (chatId: bigint, text: string) =>
  enqueueMessage(database.db, seal, { memberId: null, chatId, text });
const claim = (seconds = 60): Promise<ClaimedMessage[]> =>
  claimMessages(database.db, seal, { most: 10, seconds });
const texts = (claimed: readonly ClaimedMessage[]): (string | null)[] =>
  claimed.map(({ text }) => text).toSorted();

test("the first of each chat is claimed, by one process, and the next when it has ended", async () => {
  for (const [chatId, text] of [
    [1n, "one"],
    [1n, "two"],
    [2n, "other"],
  ] as const)
    await put(chatId, text);
  const [first, second] = await Promise.all([claim(), claim()]);
  assert.deepEqual(texts([...first, ...second]), ["one", "other"]);
  assert.deepEqual(await claim(), []);
  const one = [...first, ...second].find(({ text }) => text === "one") ?? assert.fail();
  await noteSent(database.db, one.messageId);
  assert.deepEqual(texts(await claim()), ["two"]);
});

test("a chat that is put off, or whose message failed, keeps its order and lets others pass", async () => {
  await put(1n, "one");
  await put(1n, "two");
  const [one] = await claim();
  assert.ok(one !== undefined);
  await putOff(database.db, one.messageId, 600);
  await put(2n, "other");
  assert.deepEqual(texts(await claim()), ["other"]);
  await database.db.query("UPDATE telegram.messages SET due_at = now() WHERE chat_id = 1");
  const [again] = await claim();
  assert.deepEqual([again?.text, again?.attempts], ["one", 1], "what was put off was no try");
  await noteFailed(database.db, { messageId: one.messageId, error: "x", retrySeconds: 600 });
  assert.deepEqual(await claim(), []);
  await noteFailed(database.db, { messageId: one.messageId, error: "x", retrySeconds: null });
  assert.deepEqual(texts(await claim()), ["two"], "given up, it is in no one's way");
});

test("what a process died with is claimed again when its time is over; under another secret it is unreadable", async () => {
  await put(1n, "one");
  assert.deepEqual(texts(await claim(0)), ["one"]);
  const [again] = await claim(0);
  assert.deepEqual([again?.text, again?.attempts], ["one", 2]);
  const other = createSeal("another secret of thirty-two characters");
  const [unreadable] = await claimMessages(database.db, other, { most: 1, seconds: 60 });
  assert.equal(unreadable?.text, null);
});

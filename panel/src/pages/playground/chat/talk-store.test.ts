/**
 * Protects: what the browser keeps of talks stays within its limits, belongs to the member who said
 * it, and is gone when it is deleted.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FIRST_SETTINGS } from "./chat-settings.ts";
import { NO_ANSWER } from "./conversation.ts";
import type { Lane } from "./conversation.ts";
import type { StoredTalk, TalkHead } from "./stored-talk.ts";
import { createTalkStore, TALK_LIMITS } from "./talk-store.ts";
import type { TalkLimits, TalkShelf } from "./talk-store.ts";

interface MemoryShelf extends TalkShelf {
  readonly kept: Map<string, readonly [TalkHead, unknown]>;
}

function memoryShelf(): MemoryShelf {
  const kept = new Map<string, readonly [TalkHead, unknown]>();
  return {
    kept,
    heads: async (owner) =>
      [...kept.values()].map(([head]) => head).filter((head) => head.owner === owner),
    read: async (id) => kept.get(id)?.[1],
    write: async (head, talk) => void kept.set(head.id, [head, structuredClone(talk)]),
    remove: async (ids) => ids.forEach((id) => kept.delete(id)),
  };
}

function scene(limits: TalkLimits = TALK_LIMITS, owner = "anna") {
  const shelf = memoryShelf();
  let time = 0;
  const storeOf = (of: string) => createTalkStore({ shelf, owner: of, now: () => ++time, limits });
  return { shelf, storeOf, store: storeOf(owner) };
}

const laneOf = (text: string): Lane => [{ kind: "user", id: "u", text, pictures: [] }];
const talk = (id: string, lanes: readonly Lane[]): Omit<StoredTalk, "form" | "owner"> => ({
  id,
  protocol: "openai",
  models: ["m"],
  settings: { ...FIRST_SETTINGS, system: "Be brief." },
  lanes,
});

test("a talk comes back as it was, under its first words, the newest first", async () => {
  const { store } = scene();
  assert.equal(await store.keep(talk("1", [laneOf("  Write \n a letter ")])), "kept");
  assert.equal(await store.keep(talk("2", [laneOf("б".repeat(200))])), "kept");
  assert.deepEqual(
    (await store.list()).map(({ id, title }) => [id, title]),
    [
      ["2", `${"б".repeat(80)}…`],
      ["1", "Write a letter"],
    ],
  );
  const back = await store.read("1");
  assert.deepEqual(back?.lanes, [laneOf("  Write \n a letter ")]);
  assert.equal(back?.settings.system, "Be brief.");
  await store.keep(talk("1", [laneOf("Write a letter")]));
  assert.equal((await store.list())[0]?.id, "1", "what is gone on with is the newest");
});

test("what went over the line is not kept, and an answer that was coming has stopped", async () => {
  const { store } = scene();
  const lane: Lane = [
    ...laneOf("a"),
    {
      kind: "answer",
      runId: "r",
      model: "m",
      answer: { ...NO_ANSWER, text: "A" },
      exchange: {
        state: "running",
        requestId: "req_1",
        status: 200,
        sent: '{"secret":1}',
        received: "data: secret",
        error: null,
      },
    },
  ];
  await store.keep(talk("1", [lane]));
  const back = await store.read("1");
  assert.doesNotMatch(JSON.stringify(back), /secret/);
  const turn = back?.lanes[0]?.[1];
  assert.ok(turn?.kind === "answer");
  assert.deepEqual(
    [turn.answer.text, turn.exchange.state, turn.exchange.requestId],
    ["A", "stopped", "req_1"],
  );
});

test("the oldest make room, by number and by size", async () => {
  const few = scene({ ...TALK_LIMITS, talks: 2 });
  for (const id of ["1", "2", "3"]) await few.store.keep(talk(id, [laneOf(id)]));
  assert.deepEqual([...few.shelf.kept.keys()], ["2", "3"]);
  const small = scene({ ...TALK_LIMITS, charactersAll: 3_000 });
  for (const id of ["1", "2", "3"]) await small.store.keep(talk(id, [laneOf("a".repeat(1_000))]));
  assert.deepEqual([...small.shelf.kept.keys()], ["2", "3"].slice(-small.shelf.kept.size));
  const all = [...small.shelf.kept.values()].reduce((sum, [head]) => sum + head.characters, 0);
  assert.ok(all <= 3_000, String(all));
});

test("one that is too large is not kept, and takes nothing else's place", async () => {
  const { store, shelf } = scene({ ...TALK_LIMITS, charactersEach: 2_000 });
  await store.keep(talk("1", [laneOf("a")]));
  assert.equal(await store.keep(talk("2", [laneOf("a".repeat(2_000))])), "too_large");
  assert.deepEqual([...shelf.kept.keys()], ["1"]);
});

test("a member sees, reads and deletes only the own ones", async () => {
  const { store, storeOf, shelf } = scene();
  const other = storeOf("boris");
  await store.keep(talk("1", [laneOf("a")]));
  await other.keep(talk("2", [laneOf("b")]));
  assert.equal(await other.read("1"), null);
  assert.deepEqual(
    (await other.list()).map(({ id }) => id),
    ["2"],
  );
  await other.removeAll();
  assert.deepEqual([...shelf.kept.keys()], ["1"]);
});

test("a browser that keeps nothing says so, and shows an empty list", async () => {
  const refuse = (): Promise<never> => Promise.reject(new Error("no"));
  const store = createTalkStore({
    shelf: { heads: refuse, read: refuse, write: refuse, remove: refuse },
    owner: "anna",
    now: () => 0,
  });
  assert.deepEqual(await store.list(), []);
  assert.equal(await store.read("1"), null);
  assert.equal(await store.keep(talk("1", [laneOf("a")])), "refused");
});

test("what another page kept in another form is passed over", async () => {
  const { store, shelf } = scene();
  await store.keep(talk("1", [laneOf("a")]));
  const [head, kept] = shelf.kept.get("1") ?? [];
  assert.ok(head !== undefined);
  const broken: readonly unknown[] = [
    null,
    "talk",
    { ...(kept as object), form: 2 },
    { ...(kept as object), lanes: [] },
    { ...(kept as object), protocol: "telegraph" },
  ];
  for (const value of broken) {
    shelf.kept.set("1", [head, value]);
    assert.equal(await store.read("1"), null);
  }
});

/** Protects: kept system prompts stay within their limits and with the member who keeps them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createPromptStore,
  MOST_PROMPT_CHARACTERS,
  MOST_PROMPTS,
  type PromptShelf,
} from "./prompt-store.ts";

function memoryShelf(): PromptShelf & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
    removeItem: (name) => void kept.delete(name),
  };
}

test("the newest stands first, the same words once, and there are never too many", () => {
  const store = createPromptStore(memoryShelf(), "anna");
  for (let at = 0; at < MOST_PROMPTS + 5; at++) store.keep({ id: String(at), text: `p${at}` });
  assert.equal(store.list().length, MOST_PROMPTS);
  assert.equal(store.list()[0]?.text, `p${MOST_PROMPTS + 4}`);
  store.keep({ id: "again", text: "p20" });
  assert.deepEqual(
    store.list().filter(({ text }) => text === "p20"),
    [{ id: "again", text: "p20" }],
  );
});

test("each member has the own ones, and deletes those", () => {
  const shelf = memoryShelf();
  const anna = createPromptStore(shelf, "anna");
  const boris = createPromptStore(shelf, "boris");
  anna.keep({ id: "1", text: "a" });
  boris.keep({ id: "2", text: "b" });
  assert.deepEqual(boris.list(), [{ id: "2", text: "b" }]);
  assert.deepEqual(anna.remove("1"), []);
  boris.removeAll();
  assert.deepEqual(boris.list(), []);
});

test("what is too long, what the browser refuses and what is broken is no prompt", () => {
  const shelf = memoryShelf();
  const store = createPromptStore(shelf, "anna");
  assert.equal(store.keep({ id: "1", text: "a".repeat(MOST_PROMPT_CHARACTERS + 1) }), null);
  const full: PromptShelf = {
    ...shelf,
    setItem: () => {
      throw new Error("no room");
    },
  };
  assert.equal(createPromptStore(full, "anna").keep({ id: "1", text: "a" }), null);
  for (const text of ["{", "{}", '[1, null, {"id": 1}]']) {
    shelf.kept.set("tollgate.prompts.anna", text);
    assert.deepEqual(store.list(), [], text);
  }
});

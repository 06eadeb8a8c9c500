/** What a request asks of kept answers is told from its body, and nothing is taken for a reference that is a message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conversationNeeds } from "./conversation-needs.ts";
import { inputItems, namedItems } from "./input-items.ts";

test("a request is kept unless it says otherwise, and begins anew unless it names an answer", () => {
  const plain = { store: true, previousId: null, resolves: false, compacts: false };
  assert.deepEqual(conversationNeeds({ input: "hi" }), plain);
  assert.deepEqual(
    conversationNeeds({ input: [], store: null, previous_response_id: null }),
    plain,
  );
  assert.deepEqual(conversationNeeds({ input: "hi", store: false }), { ...plain, store: false });
  assert.deepEqual(conversationNeeds({ input: "hi", previous_response_id: "resp_1" }), {
    ...plain,
    previousId: "resp_1",
  });
});

test("references and summaries are resolved; a message with an id is none of them", () => {
  const resolves = (item: unknown): boolean => conversationNeeds({ input: [item] }).resolves;
  assert.ok(resolves({ type: "item_reference", id: "msg_1" }));
  assert.ok(resolves({ id: "msg_1" }));
  assert.ok(resolves({ type: "compaction", encrypted_content: "x" }));
  assert.ok(!resolves({ id: "msg_1", role: "user", content: "hi" }));
  assert.ok(!resolves({ type: "message", id: "msg_1", role: "user", content: "hi" }));
  assert.ok(!resolves("item_reference"));
});

test("a summary is asked for at the end of the input alone", () => {
  const trigger = { type: "compaction_trigger" };
  const message = { role: "user", content: "hi" };
  assert.ok(conversationNeeds({ input: [message, trigger] }).compacts);
  assert.ok(!conversationNeeds({ input: [trigger, message] }).compacts);
});

test("items without an id get one that is the same each time, by their kind and place", () => {
  const items = inputItems([
    { role: "user", content: "hi" },
    { type: "function_call_output", call_id: "c", output: "1" },
    { type: "message", id: "msg_own", role: "user", content: "on" },
  ]);
  const ids = (): unknown[] => namedItems(items, "ab12").map(({ id }) => id);
  assert.deepEqual(ids(), ["msg_ab12i0000", "fco_ab12i0001", "msg_own"]);
  assert.deepEqual(ids(), ids());
});

/**
 * Guarantee: a conversation that an upstream of another protocol began can go on at the vendor's;
 * one of the vendor's own keeps every byte.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { writeResponsesSeal } from "../reasoning-seal.ts";
import { readMessagesRequest } from "./read-messages-request.ts";

const ASK = { role: "user", content: "Погода?" };
const CALL = { type: "tool_use", id: "t", name: "f", input: {} };
const RESULT = {
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }],
};
const thought = (signature: string) => ({ type: "thinking", thinking: "думаю", signature });
const assistant = (...content: object[]) => ({ role: "assistant", content });

function sent(rest: object): Record<string, unknown> {
  const bytes = Buffer.from(JSON.stringify({ model: "m", max_tokens: 4000, ...rest }));
  const reading = readMessagesRequest(bytes);
  assert.ok(reading.ok);
  const out = reading.request.rewrite({ model: "m", includeUsage: false });
  if (out.equals(bytes)) return { unchanged: true };
  return JSON.parse(out.toString()) as Record<string, unknown>;
}

const THINKING = { type: "enabled", budget_tokens: 2000 };

test("thinking without a seal does not go to the vendor; the rest of its turn does", () => {
  const { messages, thinking } = sent({
    messages: [ASK, assistant(thought(""), { type: "text", text: "a" }), ASK],
    thinking: THINKING,
  });
  assert.deepEqual(messages, [ASK, assistant({ type: "text", text: "a" }), ASK]);
  assert.deepEqual(thinking, THINKING);
});

test("a turn of unsealed thinking alone disappears", () => {
  assert.deepEqual(sent({ messages: [ASK, assistant(thought("")), ASK] })["messages"], [ASK, ASK]);
});

test("calls that lost their thinking go on without thinking, as the vendor wants it", () => {
  const { messages, thinking } = sent({
    messages: [ASK, assistant(thought(""), CALL), RESULT],
    thinking: THINKING,
  });
  assert.deepEqual(messages, [ASK, assistant(CALL), RESULT]);
  assert.deepEqual(thinking, { type: "disabled" });
});

test("thinking that an upstream of Responses has sealed does not go to the vendor, shown or hidden", () => {
  const seal = writeResponsesSeal({ id: "rs_1", encrypted: "gAAAA" });
  for (const thinking of [thought(seal), { type: "redacted_thinking", data: seal }]) {
    const { messages, thinking: asked } = sent({
      messages: [ASK, assistant(thinking, CALL), RESULT],
      thinking: THINKING,
    });
    assert.deepEqual(messages, [ASK, assistant(CALL), RESULT]);
    assert.deepEqual(asked, { type: "disabled" });
  }
});

test("sealed thinking, hidden thinking, and the words themselves in a text change nothing", () => {
  for (const messages of [
    [ASK, assistant(thought("seal"), CALL), RESULT],
    [ASK, assistant({ type: "redacted_thinking", data: "x" }, CALL), RESULT],
    [{ role: "user", content: '{"type":"thinking","signature":""}' }],
    [{ role: "user", content: [{ type: "text", text: "x", signature: "" }] }],
    [ASK, assistant({ ...CALL, input: { type: "thinking", signature: "" } }), RESULT],
  ]) {
    assert.deepEqual(
      sent({ messages, thinking: THINKING }),
      { unchanged: true },
      JSON.stringify(messages),
    );
  }
});

/**
 * Guarantee: a whole answer is told from an error and from garbage, whatever status it came under,
 * and all its text is seen (hazards §6, §37).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import { GOLDEN_MESSAGES } from "../../../test/support/golden-messages.ts";
import { readMessage } from "./read-message.ts";

const read = (body: unknown) =>
  readMessage(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));

test("golden answers: text, usage, stop reason and model", () => {
  for (const { name, whole } of GOLDEN_MESSAGES) {
    const reading = read(whole);
    assert.ok(reading.kind === "answer", name);
    assert.deepEqual(
      [reading.finishReason, reading.model, reading.data],
      [whole["stop_reason"], "claude-sonnet", whole],
      name,
    );
    assert.equal(reading.usage.kind, "valid", name);
  }
});

test("text of every kind of block, and whether there is anything", () => {
  const table: [unknown[], string, boolean][] = [
    [[], "", false],
    [[{ type: "text", text: "" }], "", false],
    [
      [
        { type: "thinking", thinking: "a", signature: "s" },
        { type: "text", text: "б" },
      ],
      "aб",
      true,
    ],
    [[{ type: "tool_use", id: "t", name: "f", input: { x: 1 } }], 'f{"x":1}', true],
    [[{ type: "redacted_thinking", data: "A" }], "", true],
    [[null, 5, "x", { type: 1 }], "", true],
  ];
  for (const [content, text, hasContent] of table) {
    const reading = read({ type: "message", content });
    assert.ok(reading.kind === "answer");
    assert.deepEqual(
      [reading.text, reading.hasContent],
      [text, hasContent],
      JSON.stringify(content),
    );
  }
});

test("usage is read as it stands: zero is zero, one side is partial, none is absent", () => {
  const usageOf = (usage?: unknown) => {
    const reading = read({ content: [], ...(usage === undefined ? {} : { usage }) });
    return reading.kind === "answer" ? reading.usage : null;
  };
  assert.deepEqual(usageOf({ input_tokens: 0, output_tokens: 0 }), {
    kind: "valid",
    usage: NO_USAGE,
    samplings: 1,
  });
  assert.deepEqual(usageOf(), { kind: "absent" });
  assert.deepEqual(usageOf({ output_tokens: 3 }), {
    kind: "partial",
    known: "output",
    usage: { ...NO_USAGE, outputTokens: 3 },
    samplings: 1,
  });
  assert.equal(usageOf({ input_tokens: -1, output_tokens: 0 })?.kind, "unbelievable");
});

test("errors under any status are errors", () => {
  const table: [unknown, string, number | null][] = [
    [
      {
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
        request_id: "r",
      },
      "Overloaded",
      529,
    ],
    [{ error: { message: "x", type: "invalid_request_error" } }, "x", 400],
    [{ error: "boom" }, "boom", null],
    [{ detail: "Not here" }, "Not here", null],
  ];
  for (const [body, message, status] of table) {
    const reading = read(body);
    assert.ok(reading.kind === "error");
    assert.deepEqual([reading.error.message, reading.error.status], [message, status]);
  }
});

test("what is no message is garbage, and nothing throws", () => {
  for (const body of ["", "<html>", "null", "[]", "5", "{}", { content: "x" }, { choices: [] }])
    assert.equal(read(body).kind, "garbage");
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (content, usage) => void read({ content, usage })),
  );
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (value) => void read({ content: [{ type: value, text: value, input: value, name: value }] }),
    ),
  );
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  assert.equal(read(`{"content":[{"type":"tool_use","name":"f","input":${deep}}]}`).kind, "answer");
});

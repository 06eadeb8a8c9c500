/**
 * Guarantee: what the turns of a Messages request say is carried on whole, and in an order that
 * other protocols take.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { NeutralTurn } from "../neutral/neutral-request.ts";
import { readNeutral } from "./neutral-from-request.ts";

const user = (content: unknown): object => ({ role: "user", content });
const assistant = (content: unknown): object => ({ role: "assistant", content });

function turnsOf(...messages: object[]): readonly NeutralTurn[] {
  const reading = readNeutral({ model: "m", max_tokens: 100, messages });
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  return reading.request.turns;
}
const text = (value: string, cache: unknown = null): object => ({
  kind: "text",
  text: value,
  cache,
});

test("what a user can say", () => {
  const image = { kind: "image", detail: null, cache: null };
  const document = { kind: "document", cache: null };
  const table: [object, object[]][] = [
    [{ type: "text", text: "Ёлка 🎄", citations: null }, [text("Ёлка 🎄")]],
    [{ type: "text", text: "" }, []],
    [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
      [{ ...image, source: { kind: "base64", mediaType: "image/png", data: "iVBO" } }],
    ],
    [
      {
        type: "image",
        source: { type: "url", url: "https://example.com/a.png" },
        cache_control: { type: "ephemeral" },
      },
      [
        {
          ...image,
          source: { kind: "url", url: "https://example.com/a.png" },
          cache: { ttl: "5m" },
        },
      ],
    ],
    [
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
        title: "Отчёт",
      },
      [
        {
          ...document,
          source: { kind: "base64", mediaType: "application/pdf", data: "JVBE" },
          name: "Отчёт",
        },
      ],
    ],
    [
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "слова" },
        context: "из архива",
      },
      [text("из архива"), { ...document, source: { kind: "text", text: "слова" }, name: null }],
    ],
    [
      {
        type: "document",
        source: { type: "content", content: "слова" },
        title: "t",
        citations: { enabled: true },
      },
      [{ ...document, source: { kind: "text", text: "слова" }, name: "t" }],
    ],
    [
      {
        type: "document",
        source: {
          type: "content",
          content: [
            { type: "text", text: "слова" },
            { type: "image", source: { type: "url", url: "https://example.com/b.png" } },
          ],
        },
      },
      [
        { ...document, source: { kind: "text", text: "слова" }, name: null },
        { ...image, source: { kind: "url", url: "https://example.com/b.png" } },
      ],
    ],
    [
      {
        type: "search_result",
        title: "Wiki",
        source: "https://example.com",
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
        citations: { enabled: true },
      },
      [text("Wiki\nhttps://example.com\none\ntwo")],
    ],
  ];
  for (const [block, parts] of table) {
    assert.deepEqual(turnsOf(user([{ type: "text", text: "-" }, block])), [
      { role: "user", parts: [text("-"), ...parts] },
    ]);
  }
});

test("what the assistant has said, input of tools in its shortest form", () => {
  const call = { kind: "tool-call", id: "toolu_1", name: "f", cache: null };
  const table: [object, object[]][] = [
    [{ type: "text", text: "да", citations: [{ type: "char_location" }] }, [text("да")]],
    [
      { type: "thinking", thinking: "думаю", signature: "EqQB" },
      [{ kind: "thinking", text: "думаю", signature: "EqQB" }],
    ],
    [
      { type: "thinking", thinking: "", signature: "EqQB" },
      [{ kind: "thinking", text: "", signature: "EqQB" }],
    ],
    [
      { type: "thinking", thinking: "думаю", signature: "" },
      [{ kind: "thinking", text: "думаю", signature: null }],
    ],
    [
      { type: "thinking", thinking: "думаю" },
      [{ kind: "thinking", text: "думаю", signature: null }],
    ],
    [{ type: "thinking", thinking: "", signature: "" }, []],
    [{ type: "redacted_thinking", data: "EmwK" }, [{ kind: "redacted-thinking", data: "EmwK" }]],
    [
      {
        type: "tool_use",
        id: "toolu_1",
        name: "f",
        input: { город: "Тверь", n: [1, null] },
        caller: { type: "direct" },
      },
      [{ ...call, arguments: '{"город":"Тверь","n":[1,null]}' }],
    ],
    [{ type: "tool_use", id: "toolu_1", name: "f", input: {} }, [{ ...call, arguments: "{}" }]],
    [{ type: "tool_use", id: "toolu_1", name: "f" }, [{ ...call, arguments: "{}" }]],
    [
      { type: "tool_use", id: "toolu_1", name: "f", input: '{"a": 1' },
      [{ ...call, arguments: '{"a": 1' }],
    ],
    [
      {
        type: "tool_use",
        id: "toolu_1",
        name: "f",
        input: {},
        cache_control: { type: "ephemeral", ttl: "1h" },
      },
      [{ ...call, arguments: "{}", cache: { ttl: "1h" } }],
    ],
  ];
  for (const [block, parts] of table) {
    const turns = turnsOf(user("-"), assistant([{ type: "text", text: "-" }, block]));
    assert.deepEqual(turns, [
      { role: "user", parts: [text("-")] },
      { role: "assistant", parts: [text("-"), ...parts] },
    ]);
  }
});

test("results of tools stand before the user's words, whatever message they came in", () => {
  const result = { callId: "toolu_1", parts: [text("снег")], isError: false, cache: null };
  const block = { type: "tool_result", tool_use_id: "toolu_1", content: "снег" };
  const expected = [
    { role: "tool-results", results: [result] },
    { role: "user", parts: [text("и?")] },
  ];
  assert.deepEqual(turnsOf(user([block, { type: "text", text: "и?" }])), expected);
  assert.deepEqual(turnsOf(user([{ type: "text", text: "и?" }, block])), expected);
  assert.deepEqual(turnsOf(user("и?"), user([block])), expected);
  assert.deepEqual(turnsOf(user([block])), expected.slice(0, 1));
});

test("results of tools: nothing, text, blocks, pictures, errors", () => {
  const png = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
  const table: [object, object][] = [
    [{}, { parts: [] }],
    [{ content: null }, { parts: [] }],
    [{ content: "" }, { parts: [] }],
    [{ content: [] }, { parts: [] }],
    [
      { content: "нет", is_error: true },
      { parts: [text("нет")], isError: true },
    ],
    [
      { content: [{ type: "text", text: "вот" }, png], cache_control: { type: "ephemeral" } },
      {
        parts: [
          text("вот"),
          {
            kind: "image",
            source: { kind: "base64", mediaType: "image/png", data: "AA==" },
            detail: null,
            cache: null,
          },
        ],
        cache: { ttl: "5m" },
      },
    ],
    [
      { content: [{ type: "tool_reference", tool_name: "get_weather" }] },
      { parts: [text("get_weather")] },
    ],
    [
      {
        content: [
          {
            type: "search_result",
            title: "T",
            source: "S",
            content: [{ type: "text", text: "x" }],
          },
        ],
      },
      { parts: [text("T\nS\nx")] },
    ],
  ];
  for (const [fields, expected] of table) {
    assert.deepEqual(
      turnsOf(
        user([
          { type: "tool_result", tool_use_id: "t", ...fields },
          { type: "text", text: "-" },
        ]),
      ),
      [
        {
          role: "tool-results",
          results: [{ callId: "t", isError: false, cache: null, ...expected }],
        },
        { role: "user", parts: [text("-")] },
      ],
    );
  }
});

test("neighbours of one role are one turn, a message that says nothing is none, a begun answer stays", () => {
  const messages = [
    user("a"),
    user([{ type: "text", text: "b" }]),
    assistant(""),
    assistant("c"),
    assistant("d"),
    user("e"),
    assistant("f "),
  ];
  assert.deepEqual(turnsOf(...messages), [
    { role: "user", parts: [text("a"), text("b")] },
    { role: "assistant", parts: [text("c"), text("d")] },
    { role: "user", parts: [text("e")] },
    { role: "assistant", parts: [text("f ")] },
  ]);
});

test("instructions in the midst of the conversation keep their place", () => {
  assert.deepEqual(
    turnsOf(
      user("a"),
      { role: "system", content: "b" },
      { role: "system", content: [{ type: "text", text: "c" }] },
    ),
    [
      { role: "user", parts: [text("a")] },
      { role: "system", parts: [text("b"), text("c")] },
    ],
  );
});

test("a message of very many blocks is read", () => {
  const blocks = Array.from({ length: 300_000 }, () => ({ type: "text", text: "a" }));
  const [turn] = turnsOf(user("-"), user(blocks));
  assert.ok(turn?.role === "user");
  assert.equal(turn.parts.length, 300_001);
});

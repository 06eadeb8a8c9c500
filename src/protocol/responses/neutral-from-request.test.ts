/**
 * Guarantee: a Responses request says the same in the neutral shape, whatever items its clients
 * send, and names the field that cannot be said.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSeal } from "../../kernel/seal.ts";
import { sealText } from "../account-seal.ts";
import type { NeutralRequest } from "../neutral/neutral-request.ts";
import { COMPACTION } from "./read-items.ts";
import { readNeutral } from "./neutral-from-request.ts";

type Fields = Record<string, unknown>;

const SEAL = { seal: createSeal("a secret of at least thirty-two characters"), accountId: "a-1" };

function neutral(body: Fields): NeutralRequest {
  const reading = readNeutral({ model: "m", input: "x", ...body }, SEAL);
  assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
  return reading.request;
}

function refusedParam(body: Fields): string | undefined {
  const reading = readNeutral({ model: "m", input: "x", ...body }, SEAL);
  assert.ok(!reading.ok, "it is refused");
  assert.equal(reading.fault.code, "invalid_request");
  return reading.fault.details.param;
}

const text = (words: string) => ({ kind: "text", text: words, cache: null }) as const;
const functionCall = (id: string, fields: Fields = {}): Fields => ({
  type: "function_call",
  call_id: id,
  name: "f",
  arguments: "{}",
  ...fields,
});
const output = (id: string, value: unknown = "ok"): Fields => ({
  type: "function_call_output",
  call_id: id,
  output: value,
});

test("a text is what the user says, and messages come with and without their type", () => {
  assert.deepEqual(neutral({ input: "Привет" }).turns, [{ role: "user", parts: [text("Привет")] }]);
  const { system, turns } = neutral({
    instructions: "Кратко.",
    input: [
      { role: "developer", content: "Правила." },
      { type: "message", role: "system", content: [{ type: "input_text", text: "Ещё." }] },
      { role: "user", content: [{ type: "input_text", text: "Раз" }] },
      {
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [
          { type: "output_text", text: "Два", annotations: [] },
          { type: "refusal", refusal: "Нет" },
        ],
      },
      { role: "developer", content: "Иначе." },
      { role: "user", content: "Три", internal_chat_message_metadata_passthrough: {} },
    ],
  });
  assert.deepEqual(system, [text("Кратко."), text("Правила."), text("Ещё.")]);
  assert.deepEqual(turns, [
    { role: "user", parts: [text("Раз")] },
    { role: "assistant", parts: [text("Два"), { kind: "refusal", text: "Нет" }] },
    { role: "system", parts: [text("Иначе.")] },
    { role: "user", parts: [text("Три")] },
  ]);
});

test("images and files are taken by what they are, or by their address", () => {
  const [turn] = neutral({
    input: [
      {
        role: "user",
        content: [
          { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "low" },
          { type: "input_image", image_url: "https://a.example/b.png" },
          {
            type: "input_file",
            filename: "a.pdf",
            file_data: "data:application/pdf;base64,JVBERi0=",
          },
          { type: "input_file", file_url: "https://a.example/b.pdf" },
        ],
      },
    ],
  }).turns;
  assert.deepEqual(turn?.role === "user" && turn.parts, [
    {
      kind: "image",
      source: { kind: "base64", mediaType: "image/png", data: "AAAA" },
      detail: "low",
      cache: null,
    },
    {
      kind: "image",
      source: { kind: "url", url: "https://a.example/b.png" },
      detail: null,
      cache: null,
    },
    {
      kind: "document",
      source: { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" },
      name: "a.pdf",
      cache: null,
    },
    {
      kind: "document",
      source: { kind: "url", url: "https://a.example/b.pdf" },
      name: null,
      cache: null,
    },
  ]);
});

test("calls that stand together are of one answer, and each result follows its own, whatever stood between", () => {
  const { turns } = neutral({
    input: [
      { role: "user", content: "x" },
      functionCall("a"),
      functionCall("b", { namespace: "ns", name: "g" }),
      { role: "developer", content: "Прервано." },
      output("b", [
        { type: "input_text", text: "два" },
        { type: "input_image", image_url: "https://a.example/i.png" },
      ]),
      output("a", "раз"),
      { type: "custom_tool_call", call_id: "c", name: "apply_patch", input: '"*** Begin' },
      { type: "custom_tool_call_output", id: "ctco_1", call_id: "c", output: "Done" },
    ],
  });
  const summary = turns.map((turn) => {
    if (turn.role === "tool-results") return turn.results.map(({ callId }) => callId);
    if (turn.role !== "assistant") return turn.role;
    return turn.parts.map(
      (part) => part.kind === "tool-call" && [part.id, part.name, part.arguments],
    );
  });
  assert.deepEqual(summary, [
    "user",
    [
      ["a", "f", "{}"],
      ["b", "ns__g", "{}"],
    ],
    ["b", "a"],
    "system",
    [["c", "apply_patch", '{"input":"\\"*** Begin"}']],
    ["c"],
  ]);
});

test("tools become functions in one list: custom ones of a text, namespaces by both names", () => {
  const { tools, toolChoice } = neutral({
    tools: [
      {
        type: "function",
        name: "f",
        description: "F",
        strict: true,
        parameters: { type: "object" },
      },
      {
        type: "custom",
        name: "apply_patch",
        description: "Patches.",
        format: { type: "grammar", syntax: "lark", definition: "start: x" },
      },
      {
        type: "namespace",
        name: "ns",
        description: "About.",
        tools: [
          { type: "function", name: "g", description: "G" },
          { type: "function", name: "h" },
        ],
      },
      {
        type: "tool_search",
        execution: "client",
        description: "Find.",
        parameters: { type: "object" },
      },
      { type: "web_search" },
      { type: "mcp", server_url: "https://a.example" },
      { type: "something_new" },
    ],
    tool_choice: { type: "function", name: "g", namespace: "ns" },
  });
  assert.deepEqual(
    tools.map(({ name, description, strict }) => [name, description, strict]),
    [
      ["f", "F", true],
      ["apply_patch", "Patches.\n\nThe input is a text by this grammar (lark):\nstart: x", null],
      ["ns__g", "About.\n\nG", null],
      ["ns__h", null, null],
      ["tool_search", "Find.", null],
    ],
  );
  assert.deepEqual(tools[1]?.schema?.["required"], ["input"]);
  assert.deepEqual(toolChoice, { kind: "tool", name: "ns__g" });
});

test("long names of namespaces are cut to what every upstream takes, and stay apart", () => {
  const long = "n".repeat(60);
  const namesOf = (name: string): string[] =>
    neutral({
      tools: [
        {
          type: "namespace",
          name,
          tools: [
            { type: "function", name: "first_tool" },
            { type: "function", name: "second.tool" },
          ],
        },
      ],
    }).tools.map((tool) => tool.name);
  const names = namesOf(long);
  assert.equal(new Set(names).size, 2);
  for (const name of [...names, ...namesOf("a.b")]) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
});

test("a choice is taken in all its forms; one of what was left out is the model's again", () => {
  const tools = [
    { type: "function", name: "f" },
    { type: "custom", name: "c" },
    { type: "web_search" },
  ];
  const choiceOf = (choice: unknown) => neutral({ tools, tool_choice: choice }).toolChoice;
  for (const kind of ["auto", "none", "required"] as const)
    assert.deepEqual(choiceOf(kind), { kind });
  assert.deepEqual(choiceOf({ type: "custom", name: "c" }), { kind: "tool", name: "c" });
  assert.equal(choiceOf({ type: "web_search" }), null);
  assert.equal(choiceOf(null), null);
  const allowed = neutral({
    tools,
    tool_choice: {
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "function", name: "f" }, { type: "web_search" }],
    },
  });
  assert.deepEqual(
    allowed.tools.map(({ name }) => name),
    ["f"],
  );
  assert.deepEqual(allowed.toolChoice, { kind: "required" });
  assert.equal(
    neutral({ tools: [{ type: "web_search" }], tool_choice: "required" }).toolChoice,
    null,
  );
});

test("what a search found, and what was added on the way, may be called from then on", () => {
  const { tools, turns } = neutral({
    tools: [{ type: "tool_search", execution: "client" }],
    input: [
      { role: "user", content: "x" },
      { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "later" }] },
      { type: "tool_search_call", call_id: "s", execution: "client", arguments: { query: "mail" } },
      {
        type: "tool_search_output",
        call_id: "s",
        execution: "client",
        tools: [{ type: "function", name: "send", defer_loading: true }],
      },
    ],
  });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["tool_search", "later", "send"],
  );
  assert.partialDeepStrictEqual(turns.slice(1), [
    { parts: [{ kind: "tool-call", name: "tool_search", arguments: '{"query":"mail"}' }] },
    { results: [{ callId: "s", parts: [text("Found: send.")] }] },
  ]);
});

test("the form of the answer, the effort and the limits are said", () => {
  const request = neutral({
    text: { format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true } },
    reasoning: { effort: "high", summary: "auto" },
    max_output_tokens: 50,
    temperature: 0.5,
    top_p: 0.9,
    parallel_tool_calls: false,
    safety_identifier: "u-1",
  });
  assert.partialDeepStrictEqual(request, {
    format: { name: "n", schema: { type: "object" }, strict: true, description: null },
    reasoning: { kind: "effort", effort: "high" },
    maxTokens: 50,
    temperature: 0.5,
    topP: 0.9,
    parallelToolCalls: false,
    user: "u-1",
  });
  assert.equal(neutral({ text: { format: { type: "text" } } }).format, null);
});

test("items that only another upstream could go on with are left out", () => {
  const { turns } = neutral({
    input: [
      { role: "user", content: "x" },
      { type: "web_search_call", id: "ws_1", status: "completed" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" },
      { type: "item_reference", id: "rs_2" },
      { type: "mcp_list_tools", id: "m", server_label: "x", tools: [] },
    ],
  });
  assert.deepEqual(turns, [{ role: "user", parts: [text("x")] }]);
});

test("a summary of what was said is read by the account that it was made for", () => {
  const sealed = sealText(SEAL, COMPACTION, "Было сказано.");
  const item = { type: "compaction", encrypted_content: sealed };
  assert.deepEqual(neutral({ input: [item] }).turns, [
    { role: "user", parts: [text("Было сказано.")] },
  ]);
  const other = sealText({ ...SEAL, accountId: "a-2" }, COMPACTION, "x");
  for (const encrypted_content of [other, "gAAAA", `${sealed}A`])
    assert.equal(
      refusedParam({ input: [{ type: "compaction", encrypted_content }] }),
      "input[0].encrypted_content",
    );
});

test("what cannot be said is refused by its name", () => {
  const message = (part: Fields): Fields => ({ input: [{ role: "user", content: [part] }] });
  assert.equal(refusedParam({ input: [output("nowhere")] }), "input[0].call_id");
  assert.equal(refusedParam({ input: [{ type: "item_reference", id: "msg_1" }] }), "input[0]");
  assert.equal(refusedParam({ input: [{ type: "unheard_of" }] }), "input[0].type");
  assert.equal(refusedParam({ input: [{ role: "critic", content: "x" }] }), "input[0].role");
  assert.equal(refusedParam(message({ type: "input_audio" })), "input[0].content[0]");
  assert.equal(
    refusedParam(message({ type: "input_image", file_id: "file_1" })),
    "input[0].content[0].file_id",
  );
  assert.equal(refusedParam({ tools: [{ type: "function" }] }), "tools[0].name");
  assert.equal(refusedParam({ text: { format: { type: "xml" } } }), "text.format");
});

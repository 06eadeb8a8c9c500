/**
 * Guarantee: a request of another protocol reaches an upstream of this one with all that it says,
 * nothing of it is kept there, and its thinking comes back to who sealed it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assistant,
  call,
  EMPTY_REQUEST,
  results,
  text,
  thought,
  TOOL,
  user,
} from "../../../test/support/neutral-request.ts";
import type { NeutralRequest, RequestTarget, UserPart } from "../neutral/neutral-request.ts";
import { writeResponsesSeal } from "../reasoning-seal.ts";
import { writeResponsesRequest } from "./request-from-neutral.ts";

const TARGET: RequestTarget = {
  model: "up",
  stream: false,
  maxOutputTokens: 1000,
  reasoning: null,
};

function body(
  request: Partial<NeutralRequest>,
  target: Partial<RequestTarget> = {},
): Record<string, unknown> {
  const writing = writeResponsesRequest({ ...EMPTY_REQUEST, ...request }, { ...TARGET, ...target });
  assert.ok(writing.ok);
  return JSON.parse(writing.body.toString()) as Record<string, unknown>;
}

const answered = (words: string): unknown => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: words }],
});
const asked = (words: string): unknown => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text: words }],
});

test("a bare request names the model, keeps nothing, and says nothing that was not said", () => {
  assert.deepEqual(body({ turns: [user(text("Привет 👋"))] }), {
    model: "up",
    input: [asked("Привет 👋")],
    store: false,
    stream: false,
  });
});

test("instructions before the first turn, and in the midst; alone they are what is asked", () => {
  const { instructions, input } = body({
    system: [text("a"), text("b")],
    turns: [user(text("x")), { role: "system", parts: [text("c")] }],
  });
  assert.equal(instructions, "a\n\nb");
  const developer = {
    type: "message",
    role: "developer",
    content: [{ type: "input_text", text: "c" }],
  };
  assert.deepEqual(input, [asked("x"), developer]);
  const alone = body({ system: [text("c")] });
  assert.deepEqual([alone["instructions"], alone["input"]], [undefined, [developer]]);
});

test("pictures and files, of users and in the results of tools", () => {
  const picture: UserPart = {
    kind: "image",
    source: { kind: "base64", mediaType: "image/png", data: "AAAA" },
    detail: null,
    cache: null,
  };
  const file: UserPart = {
    kind: "document",
    source: { kind: "url", url: "https://x/a.pdf" },
    name: "a.pdf",
    cache: null,
  };
  const written = [
    { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
    { type: "input_file", file_url: "https://x/a.pdf" },
  ];
  const { input } = body({
    turns: [
      user(picture, file),
      assistant(call("c1"), call("c2", "")),
      {
        role: "tool-results",
        results: [
          { callId: "c1", parts: [picture, file], isError: true, cache: null },
          { callId: "c2", parts: [text("gone")], isError: true, cache: null },
        ],
      },
    ],
  });
  assert.deepEqual(input, [
    { type: "message", role: "user", content: written },
    { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
    { type: "function_call", call_id: "c2", name: "f", arguments: "{}" },
    {
      type: "function_call_output",
      call_id: "c1",
      output: [{ type: "input_text", text: "Error:" }, ...written],
    },
    { type: "function_call_output", call_id: "c2", output: "Error: gone" },
  ]);
});

test("an id of a call that is too long is another one, the same for call and result", () => {
  const long = "call_".padEnd(90, "x");
  const { input } = body({ turns: [assistant(call(long)), results(long)] });
  const ids = (input as { call_id: string }[]).map((item) => item.call_id);
  assert.ok(ids[0] === ids[1] && (ids[0]?.length ?? 99) <= 64);
});

test("tools are not strict unless they were and can be; without tools there is nothing to choose", () => {
  const closed = { type: "object", properties: {}, additionalProperties: false };
  const { tools, tool_choice, parallel_tool_calls } = body({
    tools: [
      TOOL,
      { ...TOOL, schema: closed, strict: true },
      { ...TOOL, schema: { properties: { a: {} } }, strict: true },
    ],
    toolChoice: { kind: "tool", name: "f" },
    parallelToolCalls: false,
  });
  assert.deepEqual(
    (tools as { strict: boolean }[]).map(({ strict }) => strict),
    [false, true, false],
  );
  assert.deepEqual([tool_choice, parallel_tool_calls], [{ type: "function", name: "f" }, false]);
  assert.equal(body({ toolChoice: { kind: "required" } })["tool_choice"], undefined);
});

test("an answer's form stands under text", () => {
  const format = { name: null, description: null, schema: { type: "object" }, strict: null };
  assert.deepEqual(body({ format })["text"], {
    format: { type: "json_schema", name: "answer", schema: { type: "object" } },
  });
  assert.deepEqual(body({ format: { ...format, schema: null } })["text"], {
    format: { type: "json_object" },
  });
});

test("the limit is never below what the vendor takes, nor above what the model can write", () => {
  assert.equal(body({ maxTokens: 1 })["max_output_tokens"], 16);
  assert.equal(body({ maxTokens: 500 })["max_output_tokens"], 500);
  assert.equal(body({ maxTokens: 5000 })["max_output_tokens"], 1000);
});

test("how hard to think, and what is asked for of it", () => {
  const of = (
    reasoning: NeutralRequest["reasoning"],
    model: RequestTarget["reasoning"],
  ): unknown[] => {
    const written = body({ reasoning, temperature: 0.5 }, { reasoning: model });
    return [written["reasoning"], written["include"], written["temperature"]];
  };
  const sealed = ["reasoning.encrypted_content"];
  const high = { kind: "effort", effort: "max" } as const;
  assert.deepEqual(of(high, true), [{ effort: "high", summary: "auto" }, sealed, undefined]);
  assert.deepEqual(of(high, null), [{ effort: "high", summary: "auto" }, sealed, undefined]);
  assert.deepEqual(of(high, false), [undefined, undefined, 0.5]);
  assert.deepEqual(of({ kind: "budget", tokens: 5000 }, "adaptive"), [
    { effort: "medium", summary: "auto" },
    sealed,
    undefined,
  ]);
  assert.deepEqual(of({ kind: "adaptive", effort: null }, true), [
    { summary: "auto" },
    sealed,
    undefined,
  ]);
  assert.deepEqual(of({ kind: "adaptive", effort: null }, null), [undefined, undefined, 0.5]);
  assert.deepEqual(of({ kind: "off" }, null), [undefined, undefined, 0.5]);
  assert.deepEqual(of(null, true), [undefined, sealed, undefined]);
  assert.deepEqual(of({ kind: "effort", effort: "none" }, null), [
    { effort: "none" },
    undefined,
    0.5,
  ]);
});

test("thinking goes back to who sealed it: of this protocol, and where something follows it", () => {
  const seal = writeResponsesSeal({ id: "rs_1", encrypted: "gAAAA" });
  const item = {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "hm" }],
    encrypted_content: "gAAAA",
  };
  const turns = (...parts: Parameters<typeof assistant>): NeutralRequest["turns"] => [
    user(text("x")),
    assistant(...parts),
    user(text("y")),
  ];
  const inputOf = (
    given: NeutralRequest["turns"],
    reasoning: RequestTarget["reasoning"] = true,
  ): unknown => body({ turns: given }, { reasoning })["input"];
  const around = (...items: unknown[]): unknown[] => [asked("x"), ...items, asked("y")];
  assert.deepEqual(inputOf(turns(thought(seal), text("a"))), around(item, answered("a")));
  assert.deepEqual(
    inputOf(turns({ kind: "redacted-thinking", data: seal }, text("a"))),
    around({ ...item, summary: [] }, answered("a")),
  );
  assert.deepEqual(inputOf(turns(thought(seal))), around());
  assert.deepEqual(inputOf(turns(thought(seal), text("a")), false), around(answered("a")));
  for (const foreign of [thought("EqQBCg=="), thought(null)])
    assert.deepEqual(inputOf(turns(foreign, text("a"))), around(answered("a")));
});

test("a stop sequence has no equivalent, and is refused by its name", () => {
  const writing = writeResponsesRequest({ ...EMPTY_REQUEST, stop: ["\n"] }, TARGET);
  assert.ok(!writing.ok && writing.fault.status === 400);
  assert.equal(writing.fault.details.param, "stop");
  assert.match(writing.fault.message, /stop_sequences/);
});

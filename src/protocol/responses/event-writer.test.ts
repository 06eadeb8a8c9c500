/**
 * Guarantee: an answer of another protocol reaches a client of the Responses protocol as the whole
 * sequence of events that strict clients check, says the same, and always has an end.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { neutralAnswer } from "../../../test/support/neutral-answers.ts";
import { assertResponseStream } from "../../../test/support/strict-response.ts";
import { Fault, type FaultCode } from "../../kernel/faults.ts";
import { createSeal } from "../../kernel/seal.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, WireEvent } from "../chat-dialect.ts";
import type { FinishReason, NeutralEvent } from "../neutral/neutral-event.ts";
import { createResponseWriter } from "./event-writer.ts";
import { readNeutral } from "./neutral-from-request.ts";
import { createSummaryWriter } from "./summary-writer.ts";

type Fields = Record<string, unknown>;

const SEAL = { seal: createSeal("a secret of at least thirty-two characters"), accountId: "a-1" };
const BODY: Fields = {
  model: "sandbox-large",
  input: "Привет!",
  instructions: "Будь краток.",
  max_output_tokens: 100,
  temperature: 0.5,
  metadata: { ticket: "7" },
  reasoning: { effort: "low", summary: "auto" },
  text: { format: { type: "json_object" }, verbosity: "low" },
  tool_choice: "required",
  parallel_tool_calls: false,
  prompt_cache_key: "k",
  tools: [
    { type: "function", name: "plain", parameters: { type: "object" } },
    {
      type: "custom",
      name: "apply_patch",
      format: { type: "grammar", syntax: "lark", definition: "start: x" },
    },
    {
      type: "namespace",
      name: "agents",
      description: "Agents.",
      tools: [
        { type: "function", name: "close", parameters: {} },
        { type: "custom", name: "note" },
      ],
    },
    { type: "tool_search", execution: "client", parameters: { type: "object" } },
    { type: "web_search", external_web_access: true },
  ],
};

function identityOf(body: Fields = BODY): AnswerIdentity {
  return {
    requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
    created: 1_763_712_000,
    model: "sandbox-large",
    answerModel: "sandbox-large",
    promptTokens: 7,
    includeUsage: true,
    asked: { request: { body }, seal: SEAL, keeps: false, seconds: () => 1_763_712_009 },
  };
}

const USAGE = { ...NO_USAGE, inputTokens: 5, cachedInputTokens: 3, outputTokens: 4 };
const START: NeutralEvent = { kind: "start", id: "chatcmpl-1", model: "gpt-x" };
const text = (piece: string): NeutralEvent => ({ kind: "text", text: piece });
const thinking = (piece: string): NeutralEvent => ({ kind: "thinking", text: piece });
const call = (number: number, name: string): NeutralEvent => ({
  kind: "tool-start",
  call: number,
  id: `call_${number}`,
  name,
});
const json = (number: number, piece: string): NeutralEvent => ({
  kind: "tool-arguments",
  call: number,
  json: piece,
});
const finish = (reason: FinishReason): NeutralEvent => ({
  kind: "finish",
  reason,
  stopSequence: null,
});

type Writer = ReturnType<typeof createResponseWriter>;

/** The events of an answer, as they are after their way over the wire. */
function written(
  events: readonly NeutralEvent[],
  end: (writer: Writer) => WireEvent[] = (writer) => writer.end(USAGE),
  body = BODY,
): WireEvent[] {
  const writer = createResponseWriter(identityOf(body));
  const all = [...events.flatMap((event) => writer.write([event])), ...end(writer)];
  return JSON.parse(JSON.stringify(all)) as WireEvent[];
}

const limitStop = (writer: Writer): WireEvent[] => writer.limitStop(USAGE);
const typesOf = (events: readonly WireEvent[]): string[] =>
  events.map(({ type }) => String(type).replace("response.", ""));
const outputOf = (events: readonly WireEvent[]): Fields[] =>
  assertResponseStream(events)["output"] as Fields[];

test("text is the whole sequence, and the response says again what was asked", () => {
  const events = written([START, text("При"), text("вет"), finish("stop")]);
  assert.deepEqual(typesOf(events), [
    "created",
    "in_progress",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
    "completed",
  ]);
  const response = assertResponseStream(events);
  const { tools, ...echoed } = response;
  assert.partialDeepStrictEqual(echoed, {
    id: "resp_0199a1b2c3d47e5f8a9b0c1d2e3f4a5b",
    status: "completed",
    model: "sandbox-large",
    created_at: 1_763_712_000,
    completed_at: 1_763_712_009,
    instructions: "Будь краток.",
    max_output_tokens: 100,
    temperature: 0.5,
    metadata: { ticket: "7" },
    reasoning: { effort: "low", summary: "auto" },
    text: { format: { type: "json_object" }, verbosity: "low" },
    tool_choice: "required",
    parallel_tool_calls: false,
    prompt_cache_key: "k",
    presence_penalty: 0,
    frequency_penalty: 0,
    usage: {
      input_tokens: 8,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 12,
    },
  });
  assert.deepEqual(
    (tools as Fields[]).map(({ type }) => type),
    ["function", "custom", "namespace", "tool_search"],
    "a tool that was left out is not among them",
  );
});

test("a call is made in the words that the caller has for its tool", () => {
  const events = written([
    START,
    call(0, "plain"),
    json(0, '{"a":'),
    json(0, "1}"),
    call(1, "apply_patch"),
    json(1, '{"inp'),
    json(1, 'ut": "*** Begin\\n'),
    json(1, "\\u0041\\"),
    json(1, '\\B"}'),
    call(2, "agents__close"),
    json(2, "{}"),
    call(3, "agents__note"),
    json(3, '{"input":"x"}'),
    call(4, "tool_search"),
    json(4, '{"query":"mail"}'),
    finish("tool-calls"),
  ]);
  assert.partialDeepStrictEqual(outputOf(events), [
    { type: "function_call", call_id: "call_0", name: "plain", arguments: '{"a":1}' },
    {
      type: "custom_tool_call",
      name: "apply_patch",
      input: "*** Begin\nA\\B",
      status: "completed",
    },
    { type: "function_call", name: "close", namespace: "agents", arguments: "{}" },
    { type: "custom_tool_call", name: "note", namespace: "agents", input: "x" },
    { type: "tool_search_call", execution: "client", arguments: { query: "mail" } },
  ]);
});

test("pieces of calls that interleave reach their own calls, and one without arguments has none", () => {
  const events = written([
    START,
    call(0, "plain"),
    call(1, "plain"),
    json(1, '{"b":'),
    json(0, '{"a":1}'),
    json(1, "2}"),
    call(2, "plain"),
    finish("tool-calls"),
  ]);
  assert.deepEqual(
    outputOf(events).map((item) => item["arguments"]),
    ['{"a":1}', '{"b":2}', "{}"],
  );
});

test("what a tool search has found may be called by its own name", () => {
  const found = [{ type: "namespace", name: "mail", tools: [{ type: "function", name: "send" }] }];
  const body = {
    ...BODY,
    input: [
      { role: "user", content: "x" },
      { type: "tool_search_call", call_id: "s", execution: "client", arguments: {} },
      { type: "tool_search_output", call_id: "s", execution: "client", tools: found },
    ],
  };
  const events = written([START, call(0, "mail__send"), json(0, "{}")], undefined, body);
  assert.partialDeepStrictEqual(outputOf(events), [{ name: "send", namespace: "mail" }]);
});

test("signed thinking comes back with the next request, of the same account alone", () => {
  const events = written([
    START,
    thinking("Ду"),
    thinking("маю"),
    { kind: "thinking-end", signature: "sig" },
    { kind: "redacted-thinking", data: "hidden" },
    thinking("вслух"),
    { kind: "thinking-end", signature: null },
    text("да"),
    finish("stop"),
  ]);
  const output = outputOf(events);
  assert.deepEqual(
    output.map(({ type, summary }) => [type, summary]),
    [
      ["reasoning", [{ type: "summary_text", text: "Думаю" }]],
      ["reasoning", []],
      ["reasoning", [{ type: "summary_text", text: "вслух" }]],
      ["message", undefined],
    ],
  );
  assert.ok(
    !("encrypted_content" in (output[2] ?? {})),
    "nothing is sealed that no upstream signed",
  );
  assert.ok(!JSON.stringify(output).includes("hidden"), "nor can its caller read it");
  const partsFor = (accountId: string): unknown => {
    const reading = readNeutral({ input: output }, { ...SEAL, accountId });
    assert.ok(reading.ok);
    const [turn] = reading.request.turns;
    return turn?.role === "assistant" ? turn.parts.slice(0, 3) : null;
  };
  assert.deepEqual(partsFor("a-1"), [
    { kind: "thinking", text: "Думаю", signature: "sig" },
    { kind: "redacted-thinking", data: "hidden" },
    { kind: "thinking", text: "вслух", signature: null },
  ]);
  assert.partialDeepStrictEqual(partsFor("a-2"), [
    { kind: "thinking", text: "Думаю", signature: null },
    { kind: "thinking", text: "вслух", signature: null },
  ]);
});

test("a refusal is a completed response that has it in words", () => {
  const events = written([START, text("a"), { kind: "refusal", text: "Нет." }, finish("refusal")]);
  const [message] = outputOf(events);
  assert.equal(events.at(-1)?.["type"], "response.completed");
  assert.partialDeepStrictEqual(message?.["content"], [
    { type: "output_text", text: "a" },
    { type: "refusal", refusal: "Нет." },
  ]);
  const filtered = written([START, finish("refusal")]);
  assert.equal(filtered.at(-1)?.["type"], "response.completed");
  assert.partialDeepStrictEqual(outputOf(filtered), [{ content: [{ type: "refusal" }] }]);
});

test("a limit, whichever, is an incomplete response", () => {
  for (const reason of ["length", "context-full"] as const) {
    const events = written([START, text("a"), finish(reason)]);
    const response = assertResponseStream(events);
    assert.equal(response["status"], "incomplete");
    assert.deepEqual(response["incomplete_details"], { reason: "max_output_tokens" });
    assert.partialDeepStrictEqual(response["output"], [{ status: "incomplete" }]);
  }
});

test("an answer that the balance stops has an end wherever it stands, and no half call in it", () => {
  const answer = [
    START,
    thinking("x"),
    text("a"),
    call(0, "plain"),
    json(0, '{"a":'),
    json(0, "1}"),
    call(1, "apply_patch"),
    json(1, '{"input":"half'),
  ];
  for (let length = 0; length <= answer.length; length++) {
    const response = assertResponseStream(written(answer.slice(0, length), limitStop));
    assert.equal(response["status"], "incomplete");
    assert.deepEqual(response["incomplete_details"], { reason: "max_output_tokens" });
  }
  const output = outputOf(written(answer, limitStop));
  assert.deepEqual(
    output.map(({ type }) => type),
    ["reasoning", "message", "function_call"],
    "a patch that was cut off is not to be made",
  );
  const half = outputOf(written(answer.slice(0, 5), limitStop)).at(-1);
  assert.partialDeepStrictEqual(half, { status: "incomplete", arguments: '{"a":' });
});

test("a failure ends the stream, and says by its code whether to ask again", () => {
  const codeOf = (code: FaultCode): unknown => {
    const events = written([START, text("a")], (writer) => writer.failed?.(new Fault(code)) ?? []);
    const response = assertResponseStream(events);
    assert.equal(response["status"], "failed");
    return (response["error"] as Fields)["code"];
  };
  assert.equal(codeOf("upstream_error"), "server_error");
  assert.equal(codeOf("overloaded"), "server_error");
  assert.equal(codeOf("rate_limit_exceeded"), "rate_limit_exceeded");
  assert.equal(codeOf("insufficient_balance"), "insufficient_quota");
  assert.equal(codeOf("context_length_exceeded"), "context_length_exceeded");
  assert.equal(codeOf("invalid_request"), "invalid_prompt");
});

test("a failure after an end that was made and never left goes on from what its caller has, and is not kept", () => {
  const answer = [START, thinking("x"), text("a"), call(0, "plain"), json(0, '{"a":1}')];
  const keeping = (): AnswerIdentity => {
    const identity = identityOf();
    assert.ok(identity.asked !== undefined);
    return { ...identity, asked: { ...identity.asked, keeps: true } };
  };
  for (const create of [createResponseWriter, createSummaryWriter]) {
    for (let length = 0; length <= answer.length; length++) {
      const writer = create(keeping());
      const had = answer.slice(0, length).flatMap((event) => writer.write([event]));
      writer.limitStop(USAGE);
      const failed = writer.failed?.(new Fault("overloaded")) ?? [];
      const events = JSON.parse(JSON.stringify([...had, ...failed])) as WireEvent[];
      const response = assertResponseStream(events);
      assert.deepEqual([response["status"], response["store"]], ["failed", false], String(length));
    }
  }
});

test("whatever an upstream says, and wherever it stops, every event is in order", () => {
  fc.assert(
    fc.property(neutralAnswer({ seals: true, refusals: true }), fc.boolean(), (answer, stopped) => {
      const events = written(answer, stopped ? limitStop : undefined);
      assertResponseStream(events);
    }),
  );
});

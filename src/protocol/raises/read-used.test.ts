/**
 * Guarantee: what an answer says that it used is read, whole and while it streams, in both
 * protocols.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTHING_USED, type UsedRaises } from "../../kernel/price-raises.ts";
import { anthropicUpstream } from "../anthropic/upstream.ts";
import type { UpstreamDialect } from "../chat-dialect.ts";
import { openAiUpstream } from "../openai/upstream.ts";

function ofStream(dialect: UpstreamDialect, events: Record<string, unknown>[]): UsedRaises[] {
  const reader = dialect.createFrameReader();
  return events.map((event) => {
    reader.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`));
    return reader.used;
  });
}

function ofAnswer(dialect: UpstreamDialect, answer: Record<string, unknown>): UsedRaises {
  const reading = dialect.readAnswer(Buffer.from(JSON.stringify(answer)));
  assert.equal(reading.kind, "answer");
  return reading.kind === "answer" ? reading.used : NOTHING_USED;
}

const delta = (more: Record<string, unknown>): Record<string, unknown> => ({
  choices: [{ index: 0, delta: { content: "a" } }],
  ...more,
});

test("a chat completion tells its tier, its searches and its cost", () => {
  const usage = {
    prompt_tokens: 1,
    completion_tokens: 1,
    cost: 1.5e-7,
    server_tool_use: { web_search_requests: 2 },
  };
  const expected = {
    variants: { serviceTier: "priority" },
    toolCalls: { web_search: 2 },
    costText: "0.00000015",
  };
  const choices = [
    { index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" },
  ];
  assert.deepEqual(
    ofAnswer(openAiUpstream, { choices, service_tier: "priority", usage }),
    expected,
  );
  assert.deepEqual(
    ofStream(openAiUpstream, [
      delta({}),
      delta({ service_tier: "priority" }),
      delta({ service_tier: null }),
      { choices: [], usage },
    ]),
    [
      NOTHING_USED,
      ...Array.from({ length: 2 }, () => ({
        ...NOTHING_USED,
        variants: { serviceTier: "priority" },
      })),
      expected,
    ],
  );
  assert.equal(ofAnswer(openAiUpstream, { choices }), NOTHING_USED);
});

test("a message tells its tier, speed and region, and counts the calls of tools before its usage does", () => {
  const usage = { input_tokens: 9, service_tier: "standard", speed: "fast", inference_geo: "us" };
  const call = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const variants = { serviceTier: "standard", speed: "fast", inferenceGeo: "us" };
  const counted = (web_search: number): UsedRaises => ({
    variants,
    toolCalls: { web_search },
    costText: null,
  });
  assert.deepEqual(
    ofStream(anthropicUpstream, [
      {
        type: "message_start",
        message: { type: "message", content: [], usage: { ...usage, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: call },
      { type: "content_block_start", index: 1, content_block: { ...call, id: "s2" } },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { output_tokens: 4, server_tool_use: { web_search_requests: 1 } },
      },
    ]),
    [{ ...NOTHING_USED, variants }, counted(1), counted(2), counted(1)],
  );
  const content = [call, { type: "text", text: "a" }];
  assert.deepEqual(
    ofAnswer(anthropicUpstream, {
      type: "message",
      content,
      usage: { ...usage, output_tokens: 4 },
    }),
    counted(1),
  );
});

test("what other upstreams call their counts and their cost", () => {
  const choices = [
    { index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" },
  ];
  const counts = { prompt_tokens: 1, completion_tokens: 1 };
  const used = (usage: object, more: object = {}): UsedRaises =>
    ofAnswer(openAiUpstream, { choices, usage: { ...counts, ...usage }, ...more });
  assert.deepEqual(used({ cost_in_usd_ticks: 37_756_000 }).costText, "0.0037756");
  assert.deepEqual(used({ cost_in_usd_ticks: 25_000_000_000 }).costText, "2.5");
  assert.deepEqual(used({ cost: { total_cost: 0.006 } }).costText, "0.006");
  for (const cost of [-1, "0.1", Number.NaN, null]) assert.equal(used({ cost }).costText, null);
  assert.deepEqual(
    used({ server_side_tool_usage_details: { web_search_calls: 3, x_search_calls: 0 } }).toolCalls,
    {
      web_search: 3,
      x_search: 0,
    },
  );
  assert.deepEqual(used({ num_search_queries: 4 }).toolCalls, { web_search: 4 });
  assert.deepEqual(
    used({}, { service_tier: "fast" }).variants,
    { serviceTier: "priority" },
    "one tier has two names",
  );
});

test("sources from the web show a search where no count is told, and a count of none is one", () => {
  const cited = { role: "assistant", content: "a", annotations: [{ type: "url_citation" }] };
  const answer = (message: object, usage: object | null = null): UsedRaises =>
    ofAnswer(openAiUpstream, { choices: [{ index: 0, message, finish_reason: "stop" }], usage });
  assert.deepEqual(answer(cited).toolCalls, { web_search: 1 });
  assert.deepEqual(answer({ ...cited, annotations: [{ type: "file_citation" }] }).toolCalls, {});
  assert.deepEqual(answer(cited, { server_tool_use: { web_search_requests: 3 } }).toolCalls, {
    web_search: 3,
  });
  assert.deepEqual(
    answer({ role: "assistant", content: "a" }, { server_tool_use: { web_search_requests: 0 } })
      .toolCalls,
    {
      web_search: 0,
    },
  );
  const [, last] = ofStream(openAiUpstream, [
    delta({}),
    { choices: [{ index: 0, delta: { annotations: [{ type: "url_citation" }] } }] },
  ]);
  assert.deepEqual(last?.toolCalls, { web_search: 1 });
});

test("calls that came to nothing are none, code is run under several names, and free tools are not counted", () => {
  const call = (name: string): Record<string, unknown> => ({
    type: "content_block_start",
    index: 0,
    content_block: { type: "server_tool_use", id: "s", name, input: {} },
  });
  const start = {
    type: "message_start",
    message: {
      type: "message",
      content: [],
      usage: { input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 0 } },
    },
  };
  const end = (counts: object): Record<string, unknown> => ({
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { output_tokens: 4, server_tool_use: counts },
  });
  const last = (events: Record<string, unknown>[]): unknown =>
    ofStream(anthropicUpstream, [start, ...events]).at(-1)?.toolCalls;
  assert.deepEqual(
    last([call("web_search"), end({ web_search_requests: 0, web_fetch_requests: 2 })]),
    { web_search: 0 },
  );
  assert.deepEqual(
    last([call("web_search"), end({ web_search_requests: 1 }), end({ web_search_requests: 0 })]),
    { web_search: 1 },
  );
  assert.deepEqual(
    last([
      call("bash_code_execution"),
      call("code_execution"),
      call("web_fetch"),
      call("tool_search_tool_bm25"),
    ]),
    {
      code_execution: 2,
    },
  );
});

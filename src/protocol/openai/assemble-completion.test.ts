/**
 * Guarantee: an answer streamed from the upstream and assembled is the one that the upstream would
 * have given whole (contract §6).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { createCompletionAssembler } from "./assemble-completion.ts";

type Json = Record<string, unknown>;

const HEAD = {
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_763_712_000,
  model: "echo",
};

function assemble(chunks: readonly Json[], finishOpenAs?: string): Json {
  const assembler = createCompletionAssembler();
  for (const chunk of chunks) assembler.add(chunk);
  // Through JSON, as it is sent: nothing may depend on undefined or on shared objects.
  return JSON.parse(JSON.stringify(assembler.completion(finishOpenAs))) as Json;
}

const chunk = (index: number, delta: object, rest: object = {}): Json => ({
  ...HEAD,
  choices: [{ index, delta, finish_reason: null, ...rest }],
});
const end = (index: number, reason = "stop"): Json => ({
  ...HEAD,
  choices: [{ index, delta: {}, finish_reason: reason }],
});
const whole = (choices: object[], rest: object = {}): Json => ({
  ...HEAD,
  object: "chat.completion",
  choices,
  ...rest,
});
const choice = (message: object, rest: object = {}): Json => ({
  index: 0,
  message: { role: "assistant", content: null, refusal: null, ...message },
  logprobs: null,
  finish_reason: "stop",
  ...rest,
});

test("text, usage with all its details, fingerprint and tier; padding goes", () => {
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 3,
    total_tokens: 12,
    prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0, made_up: 1 },
    completion_tokens_details: { reasoning_tokens: 1, accepted_prediction_tokens: 0 },
  };
  const extra = {
    service_tier: "default",
    system_fingerprint: "fp_1",
    usage: null,
    obfuscation: "xyz",
  };
  const chunks = [
    { ...chunk(0, { role: "assistant", content: "", refusal: null }), ...extra },
    { ...chunk(0, { content: "При" }), ...extra },
    { ...chunk(0, { content: "вет 👋" }), ...extra },
    { ...end(0), ...extra },
    { ...HEAD, choices: [], ...extra, usage },
  ];
  assert.deepEqual(
    assemble(chunks),
    whole([choice({ content: "Привет 👋" })], {
      usage,
      service_tier: "default",
      system_fingerprint: "fp_1",
    }),
  );
});

test("parallel tool calls, interleaved, keep their own arguments (hazards §33)", () => {
  const call = (index: number, rest: object) => chunk(0, { tool_calls: [{ index, ...rest }] });
  const chunks = [
    chunk(0, { role: "assistant", content: null }),
    call(0, { id: "call_a", type: "function", function: { name: "weather", arguments: "" } }),
    call(1, { id: "call_b", type: "function", function: { name: "time", arguments: "" } }),
    call(1, { function: { arguments: '{"c":' } }),
    call(0, { function: { arguments: '{"city":"Мос' } }),
    chunk(0, {
      tool_calls: [
        { index: 2, id: "call_c", type: "custom", custom: { name: "run", input: "ls" } },
        { index: 0, function: { arguments: 'ква"}' } },
      ],
    }),
    call(2, { custom: { input: " -l" } }),
    call(1, {
      function: { arguments: "1}" },
      extra_content: { google: { thought_signature: "s" } },
    }),
    chunk(0, { tool_calls: [] }),
    chunk(0, { tool_calls: null }),
    end(0, "tool_calls"),
  ];
  const toolCalls = [
    {
      id: "call_a",
      type: "function",
      function: { name: "weather", arguments: '{"city":"Москва"}' },
    },
    {
      id: "call_b",
      type: "function",
      function: { name: "time", arguments: '{"c":1}' },
      extra_content: { google: { thought_signature: "s" } },
    },
    { id: "call_c", type: "custom", custom: { name: "run", input: "ls -l" } },
  ];
  assert.deepEqual(
    assemble(chunks),
    whole([choice({ tool_calls: toolCalls }, { finish_reason: "tool_calls" })]),
  );
});

test("tool calls of upstreams that leave out the index, repeat the name, or send arguments as an object", () => {
  const chunks = [
    chunk(0, {
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: { x: 1 } } }],
    }),
    chunk(0, {
      tool_calls: [{ id: "b", type: "function", function: { name: "g", arguments: "{" } }],
    }),
    chunk(0, { tool_calls: [{ function: { name: "", arguments: "}" } }] }),
    chunk(0, { tool_calls: [{ id: "b", function: { name: "g", arguments: " " } }] }),
    end(0, "tool_calls"),
  ];
  const toolCalls = [
    { id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } },
    { id: "b", type: "function", function: { name: "g", arguments: "{} " } },
  ];
  assert.deepEqual(
    assemble(chunks),
    whole([choice({ tool_calls: toolCalls }, { finish_reason: "tool_calls" })]),
  );
});

test("calls that share an index, or have neither index nor id, are told apart as in a translated stream", () => {
  const call = (id: string, name: string, body: string) => ({
    id,
    type: "function",
    function: { name, arguments: body },
  });
  const two = [call("a", "f", '{"x":1}'), call("b", "g", "{}")];
  const answer = (calls: object[]) =>
    whole([choice({ tool_calls: calls }, { finish_reason: "tool_calls" })]);
  // Gemini gives every call the index 0.
  const alike = two.map((one) => chunk(0, { tool_calls: [{ index: 0, ...one }] }));
  assert.deepEqual(assemble([...alike, end(0, "tool_calls")]), answer(two));
  const renamed = [
    { index: 0, ...two[0] },
    { index: 0, id: "another", function: { name: "", arguments: " " } },
  ];
  const kept = call("a", "f", '{"x":1} ');
  assert.deepEqual(
    assemble([...renamed.map((one) => chunk(0, { tool_calls: [one] })), end(0, "tool_calls")]),
    answer([kept]),
  );
  const nameless = two.map(({ function: called, type }) => ({ type, function: called }));
  const anonymous = two.map((one) => ({ ...one, id: "" }));
  assert.deepEqual(
    assemble([chunk(0, { tool_calls: nameless }), end(0, "tool_calls")]),
    answer(anonymous),
  );
  assert.deepEqual(
    assemble([...nameless.map((one) => chunk(0, { tool_calls: [one] })), end(0, "tool_calls")]),
    answer(anonymous),
  );
});

test("a whole message after deltas says only what they have left out", () => {
  const message = {
    role: "assistant",
    content: "Привет",
    reasoning_content: "так",
    name: "MiniMax AI",
    tool_calls: null,
  };
  const last = {
    ...HEAD,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "stop" }],
  };
  const reported = choice({ content: "Привет", reasoning_content: "так", name: "MiniMax AI" });
  assert.deepEqual(
    assemble([
      chunk(0, { content: "При", reasoning_content: "так" }),
      chunk(0, { content: "вет" }),
      last,
    ]),
    whole([reported]),
  );
  assert.deepEqual(assemble([last]), whole([reported]));
});

test("several choices, out of order, each with its own text and reason", () => {
  const chunks = [
    chunk(1, { role: "assistant", content: "b" }),
    chunk(0, { role: "assistant", content: "a" }),
    chunk(1, { content: "B" }),
    end(1, "length"),
    end(0),
  ];
  assert.deepEqual(
    assemble(chunks),
    whole([
      choice({ content: "a" }),
      choice({ content: "bB" }, { index: 1, finish_reason: "length" }),
    ]),
  );
});

test("log probabilities of content and refusal are joined", () => {
  const token = (text: string) => ({ token: text, logprob: -0.1, bytes: [1], top_logprobs: [] });
  const chunks = [
    chunk(
      0,
      { role: "assistant", content: "a" },
      { logprobs: { content: [token("a")], refusal: null } },
    ),
    chunk(0, { content: "b" }, { logprobs: { content: [token("b"), token("c")], refusal: null } }),
    chunk(0, { refusal: "r" }, { logprobs: { content: null, refusal: [token("r")] } }),
    end(0),
  ];
  const logprobs = { content: [token("a"), token("b"), token("c")], refusal: [token("r")] };
  assert.deepEqual(
    assemble(chunks),
    whole([choice({ content: "ab", refusal: "r" }, { logprobs })]),
  );
});

test("refusal, function_call, audio, annotations, reasoning and unknown fields", () => {
  const annotation = (url: string) => ({
    type: "url_citation",
    url_citation: { url, title: "t", start_index: 0, end_index: 1 },
  });
  const chunks = [
    chunk(0, { role: "assistant", reasoning_content: "ду", mood: "x" }),
    chunk(0, {
      role: "assistant",
      reasoning_content: "маю",
      mood: "y",
      score: 1,
      annotations: [annotation("a")],
    }),
    chunk(0, {
      function_call: { name: "f", arguments: "{" },
      score: 2,
      annotations: [annotation("b")],
    }),
    chunk(0, {
      function_call: { arguments: "}" },
      audio: { id: "au", data: "AA", transcript: "да" },
    }),
    chunk(0, { audio: { data: "BB", transcript: "!" } }),
    chunk(0, { audio: { expires_at: 5 } }, { stop_reason: null, token_ids: [1] }),
    {
      ...chunk(0, { refusal: "не" }, { stop_reason: 7, token_ids: [2, 3] }),
      provider: "p",
      citations: ["1"],
    },
    {
      ...chunk(0, { refusal: "т" }, { finish_reason: "function_call", native_finish_reason: "fc" }),
      provider: "p",
      citations: ["1"],
    },
  ];
  const message = {
    refusal: "нет",
    reasoning_content: "думаю",
    mood: "xy",
    score: 2,
    annotations: [annotation("a"), annotation("b")],
    function_call: { name: "f", arguments: "{}" },
    audio: { id: "au", data: "AABB", transcript: "да!", expires_at: 5 },
  };
  const rest = {
    finish_reason: "function_call",
    stop_reason: 7,
    token_ids: [1, 2, 3],
    native_finish_reason: "fc",
  };
  assert.deepEqual(
    assemble(chunks),
    whole([choice(message, rest)], { provider: "p", citations: ["1"] }),
  );
});

test("an empty text is a text, no text is null", () => {
  assert.deepEqual(
    assemble([chunk(0, { role: "assistant", content: "" }), end(0)]),
    whole([choice({ content: "" })]),
  );
  assert.deepEqual(assemble([chunk(0, { role: "assistant" }), end(0)]), whole([choice({})]));
});

test("content in parts stays in parts, with text around it in order", () => {
  const part = { type: "thinking", thinking: [{ type: "text", text: "hm" }] };
  const chunks = [
    chunk(0, { content: "a" }),
    chunk(0, { content: [part] }),
    chunk(0, { content: "b" }),
    end(0),
  ];
  assert.deepEqual(
    assemble(chunks),
    whole([choice({ content: [{ type: "text", text: "a" }, part, { type: "text", text: "b" }] })]),
  );
});

test("an answer that the balance stopped ends by length; an open one is known", () => {
  const assembler = createCompletionAssembler();
  for (const part of [
    chunk(1, { content: "b" }),
    chunk(0, { content: "a" }),
    chunk(2, { content: "c" }),
    end(0),
  ])
    assembler.add(part);
  assert.deepEqual(assembler.openChoices(), [1, 2]);
  const reasons = (completion: Json) =>
    (completion["choices"] as Json[]).map((one) => one["finish_reason"]);
  assert.deepEqual(reasons(assembler.completion("length")), ["stop", "length", "length"]);
  assert.deepEqual(
    reasons(assembler.completion()),
    ["stop", "stop", "stop"],
    "of a whole answer that has left them out",
  );
});

test("names from a hostile upstream make no prototype", () => {
  const hostile = JSON.parse(
    '{"__proto__":{"polluted":true},"content":"x","tool_calls":[{"index":0,"__proto__":{"p":1},"function":{"name":"f","__proto__":{"p":1}}}]}',
  ) as Json;
  const completion = assemble([
    chunk(0, hostile),
    JSON.parse('{"__proto__":{"polluted":true},"choices":[]}') as Json,
    end(0),
  ]);
  assert.equal((completion as { polluted?: unknown }).polluted, undefined);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

/** Random answers in the full official shape, and random ways to stream them. */
const text = fc.string({ unit: "grapheme", maxLength: 20 });
const word = fc.string({ minLength: 1, maxLength: 8 });
const tokens = fc.array(
  fc.record({
    token: text,
    logprob: fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }),
    bytes: fc.constant(null),
    top_logprobs: fc.constant([]),
  }),
  { minLength: 1, maxLength: 4 },
);
const toolCall = fc.oneof(
  fc.record({
    id: word,
    type: fc.constant("function"),
    function: fc.record({ name: word, arguments: text }),
  }),
  fc.record({
    id: word,
    type: fc.constant("custom"),
    custom: fc.record({ name: word, input: text }),
  }),
);
const message = fc.record(
  {
    role: fc.constant("assistant"),
    content: fc.option(text),
    refusal: fc.option(text),
    tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 4 }),
    function_call: fc.record({ name: word, arguments: text }),
    audio: fc.record({ id: word, data: text, transcript: text, expires_at: fc.nat() }),
    annotations: fc.array(fc.record({ type: word }), { maxLength: 3 }),
    reasoning_content: text,
  },
  { requiredKeys: ["role", "content", "refusal"] },
);
const completion = fc.record(
  {
    choices: fc.array(
      fc.record({
        message,
        logprobs: fc.option(fc.record({ content: fc.option(tokens), refusal: fc.option(tokens) })),
        finish_reason: fc.constantFrom("stop", "length", "tool_calls", "content_filter"),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    usage: fc.record({
      prompt_tokens: fc.nat(),
      completion_tokens: fc.nat(),
      total_tokens: fc.nat(),
      prompt_tokens_details: fc.dictionary(word, fc.nat()),
      completion_tokens_details: fc.dictionary(word, fc.nat()),
    }),
    service_tier: fc.constantFrom("default", null),
    system_fingerprint: word,
  },
  { requiredKeys: ["choices"] },
);

/** Cuts a text anywhere, also inside a surrogate pair. */
function cut(value: string, pick: (below: number) => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < value.length;) {
    const size = 1 + pick(6);
    pieces.push(value.slice(at, at + size));
    at += size;
  }
  return pieces.length === 0 ? [""] : pieces;
}

/** The deltas of one message, every list in the order that a stream keeps. */
function deltasOf(source: Json, pick: (below: number) => number): Json[][] {
  const lanes: Json[][] = [];
  for (const [name, value] of Object.entries(source)) {
    if (typeof value === "string" && name !== "role")
      lanes.push(cut(value, pick).map((piece) => ({ [name]: piece })));
    else if (value === null) lanes.push([{ [name]: null }]);
    else if (name === "annotations")
      lanes.push(
        (value as Json[]).length === 0
          ? [{ annotations: [] }]
          : (value as Json[]).map((one) => ({ annotations: [one] })),
      );
    else if (name === "function_call")
      lanes.push(
        callDeltas(value as Json, "arguments", pick).map((piece) => ({ function_call: piece })),
      );
    else if (name === "audio") {
      const { id, data, transcript, expires_at: expiresAt } = value as Json;
      lanes.push([
        { audio: { id } },
        ...cut(String(data), pick).map((piece) => ({ audio: { data: piece } })),
        { audio: { expires_at: expiresAt } },
      ]);
      lanes.push(cut(String(transcript), pick).map((piece) => ({ audio: { transcript: piece } })));
    } else if (name === "tool_calls") {
      for (const [index, call] of (value as Json[]).entries()) {
        const kind = String(call["type"]);
        const parts = callDeltas(
          call[kind] as Json,
          kind === "custom" ? "input" : "arguments",
          pick,
        );
        lanes.push(
          parts.map((part, n) => ({
            tool_calls: [
              { index, ...(n === 0 ? { id: call["id"], type: kind } : {}), [kind]: part },
            ],
          })),
        );
      }
    }
  }
  return lanes;
}

function callDeltas(call: Json, body: string, pick: (below: number) => number): Json[] {
  return cut(String(call[body]), pick).map((piece, n) => ({
    ...(n === 0 ? { name: call["name"] } : {}),
    [body]: piece,
  }));
}

/**
 * Takes the next item of a random lane until all are empty: any order that keeps each lane's own.
 */
function interleave<T>(lanes: T[][], pick: (below: number) => number): T[] {
  const left = lanes.map((lane) => [...lane]).filter((lane) => lane.length > 0);
  const out: T[] = [];
  while (left.length > 0) {
    const lane = pick(left.length);
    const item = left[lane]?.shift();
    if (item !== undefined) out.push(item);
    if (left[lane]?.length === 0) left.splice(lane, 1);
  }
  return out;
}

function stream(source: Json, pick: (below: number) => number): Json[] {
  const { choices, usage, ...rest } = source;
  const lanes = (choices as Json[]).map((one, index) => {
    const logprobs = one["logprobs"] as Record<string, unknown[] | null> | null;
    const probabilityLanes = Object.entries(logprobs ?? {}).map(([name, list]) =>
      list === null ? [{ [name]: null }] : list.map((token) => ({ [name]: [token] })),
    );
    const reported = [
      chunk(index, { role: "assistant" }),
      ...interleave(
        [
          ...deltasOf(one["message"] as Json, pick).map((lane) =>
            lane.map((delta) => chunk(index, delta)),
          ),
          ...probabilityLanes.map((lane) =>
            lane.map((part) => chunk(index, {}, { logprobs: part })),
          ),
        ],
        pick,
      ),
    ];
    return [...reported, end(index, String(one["finish_reason"]))];
  });
  const chunks = interleave(lanes, pick).map((one) => ({ ...one, ...rest }));
  return usage === undefined ? chunks : [...chunks, { ...HEAD, choices: [], usage, ...rest }];
}

test("any answer, streamed in any way, is assembled to itself", () => {
  fc.assert(
    fc.property(completion, fc.infiniteStream(fc.nat()), (source, random) => {
      const pick = (below: number) => (random.next().value ?? 0) % below;
      const expected = whole(
        source.choices.map((one, index) => ({ index, ...one })),
        { ...source, choices: source.choices.map((one, index) => ({ index, ...one })) },
      );
      assert.deepEqual(
        assemble(stream(source as unknown as Json, pick)),
        JSON.parse(JSON.stringify(expected)),
      );
    }),
    { numRuns: 300 },
  );
});

test("the official SDK's accumulator reads the same answer out of the same chunks", async () => {
  await fc.assert(
    fc.asyncProperty(completion, fc.infiniteStream(fc.nat()), async (source, random) => {
      const pick = (below: number) => (random.next().value ?? 0) % below;
      // The SDK keeps only the last piece of a list or text that its schema does not stream, and
      // drops fields beside a function_call.
      const known = {
        ...source,
        choices: source.choices.map(({ message: reported, ...rest }) => {
          const {
            annotations,
            reasoning_content: reasoning,
            function_call: functionCall,
            ...kept
          } = reported;
          void [annotations, reasoning, functionCall];
          return { ...rest, message: kept };
        }),
      };
      const chunks = stream(known, pick);
      const lines = chunks.map((one) => `${JSON.stringify(one)}\n`).join("");
      const judged = JSON.parse(
        JSON.stringify(
          await ChatCompletionStream.fromReadableStream(
            new Blob([lines]).stream(),
          ).finalChatCompletion(),
        ),
      ) as Json;
      const ours = assemble(chunks);
      // What the SDK adds or leaves out by itself: `parsed`, empty refusals, a null fingerprint.
      for (const one of [judged, ours]) {
        for (const { message: reported, logprobs } of one["choices"] as {
          message: Json;
          logprobs: Json | null;
        }[]) {
          delete reported["parsed"];
          reported["refusal"] ||= null;
          if (reported["content"] === undefined) reported["content"] = null;
          for (const call of (reported["tool_calls"] ?? []) as { function?: Json }[])
            delete call.function?.["parsed_arguments"];
          for (const name of ["content", "refusal"])
            if (logprobs !== null && logprobs[name] === undefined) logprobs[name] = null;
        }
        if (one["usage"] === null) delete one["usage"];
      }
      assert.deepEqual(ours, judged);
    }),
    { numRuns: 150 },
  );
});

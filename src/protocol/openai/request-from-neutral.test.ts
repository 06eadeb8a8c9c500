/**
 * Guarantee: a request of another protocol reaches an upstream of this one with all that it says,
 * in the fields that such upstreams take.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { someArguments, someText } from "../../../test/support/neutral-answers.ts";
import { EMPTY_REQUEST } from "../../../test/support/neutral-request.ts";
import type {
  AssistantPart,
  NeutralRequest,
  NeutralTurn,
  RequestTarget,
  UserPart,
} from "../neutral/neutral-request.ts";
import { readNeutral } from "./neutral-from-request.ts";
import { readChatRequest } from "./read-chat-request.ts";
import { writeChatRequest } from "./request-from-neutral.ts";

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
  const writing = writeChatRequest({ ...EMPTY_REQUEST, ...request }, { ...TARGET, ...target });
  assert.ok(writing.ok);
  return JSON.parse(writing.body.toString("utf8"));
}

const messages = (...turns: NeutralTurn[]) => body({ turns })["messages"];
const text = (words: string) => ({ kind: "text", text: words, cache: { ttl: "1h" } }) as const;
const user = (...parts: UserPart[]): NeutralTurn => ({ role: "user", parts });
const assistant = (...parts: AssistantPart[]): NeutralTurn => ({ role: "assistant", parts });
const call = (id: string, json = "{}"): AssistantPart => ({
  kind: "tool-call",
  id,
  name: "f",
  arguments: json,
  cache: null,
});
const result = (callId: string, isError: boolean, ...parts: UserPart[]): NeutralTurn => ({
  role: "tool-results",
  results: [{ callId, parts, isError, cache: null }],
});
const image: UserPart = {
  kind: "image",
  source: { kind: "base64", mediaType: "image/png", data: "AAAA" },
  detail: null,
  cache: null,
};
const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

test("a bare request names the model, and says nothing that was not said", () => {
  assert.deepEqual(body({ turns: [user(text("Привет 👋"))] }), {
    model: "up",
    messages: [{ role: "user", content: "Привет 👋" }],
    stream: false,
  });
});

test("a stream asks for its usage", () => {
  const { stream, stream_options: options } = body({}, { stream: true });
  assert.deepEqual([stream, options], [true, { include_usage: true }]);
});

test("the limit goes by the name that the model knows, and never above what it can write", () => {
  assert.equal(body({ maxTokens: 500 })["max_tokens"], 500);
  assert.equal(body({ maxTokens: 128_000 })["max_tokens"], 1000);
  const reasoning = body({ maxTokens: 128_000 }, { reasoning: true });
  assert.deepEqual([reasoning["max_completion_tokens"], "max_tokens" in reasoning], [1000, false]);
});

test("how hard to think: never for a model that does not, in the grades that all of them know; in doubt the caller's own word counts", () => {
  const effort = (reasoning: NeutralRequest["reasoning"], thinks: boolean | null = true) =>
    body({ reasoning }, { reasoning: thinks })["reasoning_effort"];
  const budgets = [1024, 4095, 4096, 16_383, 16_384, 100_000].map((tokens) =>
    effort({ kind: "budget", tokens }),
  );
  assert.deepEqual(budgets, ["low", "low", "medium", "medium", "high", "high"]);
  const efforts = ["minimal", "low", "medium", "high", "xhigh", "max"].map((word) =>
    effort({ kind: "adaptive", effort: word }),
  );
  assert.deepEqual(efforts, ["minimal", "low", "medium", "high", "high", "high"]);
  assert.equal(effort({ kind: "effort", effort: "low" }), "low");
  for (const silent of [null, { kind: "off" }, { kind: "adaptive", effort: null }] as const)
    assert.equal(effort(silent), undefined);
  for (const wish of [
    { kind: "budget", tokens: 5000 },
    { kind: "effort", effort: "low" },
    { kind: "adaptive", effort: "low" },
  ] as const) {
    assert.equal(effort(wish, false), undefined);
    assert.equal(
      effort(wish, null),
      { budget: "medium", effort: "low", adaptive: undefined }[wish.kind],
    );
  }
});

test("earlier thinking goes to a model that thinks, or may think, and not to one that does not", () => {
  const turns: NeutralRequest["turns"] = [
    { role: "assistant", parts: [{ kind: "thinking", text: "hm", signature: null }, text("a")] },
  ];
  const sent = (reasoning: boolean | null) => body({ turns }, { reasoning })["messages"];
  const thought = [{ role: "assistant", content: "a", reasoning_content: "hm" }];
  assert.deepEqual(
    [sent(true), sent(null), sent(false)],
    [thought, thought, [{ role: "assistant", content: "a" }]],
  );
});

test("more stops than this protocol takes are refused in the caller's word, not sent and not cut", () => {
  const stop = ["a", "b", "c", "d"];
  assert.deepEqual(body({ stop })["stop"], stop);
  const writing = writeChatRequest({ ...EMPTY_REQUEST, stop: [...stop, "e"] }, TARGET);
  assert.ok(!writing.ok);
  assert.deepEqual(
    [writing.fault.code, writing.fault.details.param],
    ["invalid_request", "stop_sequences"],
  );
  assert.equal(writing.fault.message, "'stop_sequences' can hold at most 4 texts for this model.");
});

test("sampling and stops; top_k and a long user have no place", () => {
  const {
    messages: _,
    model: __,
    stream: ___,
    ...rest
  } = body({ temperature: 0, topP: 0.5, topK: 5, stop: ["a"], user: "u" });
  assert.deepEqual(rest, { temperature: 0, top_p: 0.5, stop: ["a"], user: "u" });
  assert.equal("user" in body({ user: "u".repeat(65) }), false);
});

test("texts of one message become one; other kinds keep it a list", () => {
  assert.deepEqual(
    body({ system: [text("a"), text("b")], turns: [user(text("c"), text("d"))] })["messages"],
    [
      { role: "system", content: "a\n\nb" },
      { role: "user", content: "c\n\nd" },
    ],
  );
  assert.deepEqual(messages(user(text("a"), image, text("b"))), [
    { role: "user", content: [{ type: "text", text: "a" }, IMAGE, { type: "text", text: "b" }] },
  ]);
});

test("pictures and documents", () => {
  const document = (
    source: Extract<UserPart, { kind: "document" }>["source"],
    name: string | null,
  ): UserPart => ({
    kind: "document",
    source,
    name,
    cache: null,
  });
  const pdf = { kind: "base64", mediaType: "application/pdf", data: "JVBERi0=" } as const;
  const url = { ...image, source: { kind: "url", url: "https://x/y.png" }, detail: "low" } as const;
  assert.deepEqual(
    messages(
      user(
        url,
        document(pdf, null),
        document(pdf, "a.pdf"),
        document({ kind: "text", text: "b" }, "c.txt"),
      ),
    ),
    [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "https://x/y.png", detail: "low" } },
          {
            type: "file",
            file: { filename: "document.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
          },
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
          },
          { type: "text", text: "c.txt\n\nb" },
        ],
      },
    ],
  );
  const refused = writeChatRequest(
    { ...EMPTY_REQUEST, turns: [user(document({ kind: "url", url: "https://x/a.pdf" }, null))] },
    TARGET,
  );
  assert.ok(!refused.ok);
  assert.deepEqual(
    [refused.fault.code, refused.fault.details.param],
    ["invalid_request", "messages"],
  );
});

test("an assistant's turn: text, thinking in its own field, refusal, calls", () => {
  const thinking = (words: string, signature: string | null): AssistantPart => ({
    kind: "thinking",
    text: words,
    signature,
  });
  assert.deepEqual(
    messages(
      assistant(
        thinking("a", "s"),
        { kind: "redacted-thinking", data: "x" },
        thinking("b", null),
        text("c"),
        text("d"),
        call("1", ""),
      ),
    ),
    [
      {
        role: "assistant",
        content: "cd",
        reasoning_content: "a\n\nb",
        tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
    ],
  );
  assert.deepEqual(messages(assistant(call("1", '{"я":1}'), call("2"))), [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "1", type: "function", function: { name: "f", arguments: '{"я":1}' } },
        { id: "2", type: "function", function: { name: "f", arguments: "{}" } },
      ],
    },
  ]);
  assert.deepEqual(messages(assistant({ kind: "refusal", text: "Нет." })), [
    { role: "assistant", content: null, refusal: "Нет." },
  ]);
  assert.deepEqual(messages(assistant(thinking("", "s"))), [{ role: "assistant", content: "" }]);
  assert.deepEqual(messages(assistant(), user()), []);
});

test("results of tools: errors say so, pictures follow with the next words of the user", () => {
  assert.deepEqual(
    messages(
      result("1", true, text("нет файла")),
      result("2", true, text("Error 5")),
      result("3", true),
      result("4", false),
    ),
    [
      { role: "tool", tool_call_id: "1", content: "Error: нет файла" },
      { role: "tool", tool_call_id: "2", content: "Error 5" },
      { role: "tool", tool_call_id: "3", content: "Error:" },
      { role: "tool", tool_call_id: "4", content: "" },
    ],
  );
  assert.deepEqual(
    messages(
      result("1", false, text("a"), image),
      result("2", false, image),
      user(text("b")),
      user(text("c")),
    ),
    [
      { role: "tool", tool_call_id: "1", content: "a" },
      { role: "tool", tool_call_id: "2", content: "(image)" },
      { role: "user", content: [IMAGE, IMAGE, { type: "text", text: "b" }] },
      { role: "user", content: "c" },
    ],
  );
  const alone = [
    { role: "tool", tool_call_id: "1", content: "(image)" },
    { role: "user", content: [IMAGE] },
  ];
  assert.deepEqual(messages(result("1", false, image)), alone);
  assert.deepEqual(messages(result("1", false, image), assistant(text("a"))), [
    ...alone,
    { role: "assistant", content: "a" },
  ]);
  assert.deepEqual(messages(result("1", false, image), { role: "system", parts: [text("a")] }), [
    ...alone,
    { role: "system", content: "a" },
  ]);
});

test("tools, and what is said of them only where there are some", () => {
  const schema = { type: "object", properties: {} };
  const tool = {
    name: "f",
    description: null,
    schema: null,
    strict: null,
    cache: { ttl: "5m" },
  } as const;
  const choose = (request: Partial<NeutralRequest>) => {
    const { tools, tool_choice: choice, parallel_tool_calls: parallel } = body(request);
    return [tools, choice, parallel];
  };
  assert.deepEqual(
    choose({
      tools: [tool, { ...tool, description: "d", schema, strict: false }],
      toolChoice: { kind: "tool", name: "f" },
      parallelToolCalls: false,
    }),
    [
      [
        { type: "function", function: { name: "f" } },
        {
          type: "function",
          function: { name: "f", description: "d", parameters: schema, strict: false },
        },
      ],
      { type: "function", function: { name: "f" } },
      false,
    ],
  );
  for (const kind of ["auto", "none", "required"] as const)
    assert.equal(choose({ tools: [tool], toolChoice: { kind } })[1], kind);
  assert.deepEqual(choose({ toolChoice: { kind: "auto" }, parallelToolCalls: true }), [
    undefined,
    undefined,
    undefined,
  ]);
});

test("strict is asked for only with a schema that OpenAI takes for it", () => {
  const object = (
    properties: object,
    rest: object = { additionalProperties: false, required: Object.keys(properties) },
  ) => ({
    type: "object",
    properties,
    ...rest,
  });
  const strict = (schema: Record<string, unknown>) => {
    const { response_format: format, tools } = body({
      format: { name: null, description: null, schema, strict: true },
      tools: [{ name: "f", description: null, schema, strict: true, cache: null }],
    });
    const inFormat = (format as { json_schema: { strict?: boolean } }).json_schema.strict;
    assert.equal((tools as { function: { strict?: boolean } }[])[0]?.function.strict, inFormat);
    return inFormat;
  };
  const string = { type: "string" };
  assert.equal(strict(object({ a: string })), true);
  assert.equal(strict(object({ properties: string, required: string })), true);
  assert.equal(
    strict({ enum: [{ properties: { a: 1 } }], $defs: { properties: object({ a: string }) } }),
    true,
  );
  assert.equal(strict({ $defs: { a: object({ a: string }, {}) } }), undefined);
  assert.equal(strict(object({ a: string }, {})), undefined);
  assert.equal(strict(object({ a: string }, { additionalProperties: false })), undefined);
  assert.equal(
    strict(object({ a: string, b: string }, { additionalProperties: false, required: ["a"] })),
    undefined,
  );
  assert.equal(strict(object({ a: { anyOf: [string, object({ b: string }, {})] } })), undefined);
});

test("the form of the answer; a name is made up where this protocol wants one", () => {
  const format = (schema: Record<string, unknown> | null, name: string | null) =>
    body({ format: { name, description: null, schema, strict: null } })["response_format"];
  assert.deepEqual(format(null, null), { type: "json_object" });
  assert.deepEqual(format({ type: "object" }, null), {
    type: "json_schema",
    json_schema: { name: "answer", schema: { type: "object" } },
  });
  assert.deepEqual(format({}, "n"), {
    type: "json_schema",
    json_schema: { name: "n", schema: {} },
  });
});

const reported = fc
  .tuple(someText, fc.constantFrom("a", "Привет", "👋"))
  .map(([before, last]) => before + last);
const plainText = reported.map((words) => ({ kind: "text", text: words, cache: null }) as const);
const base64 = fc.base64String({ minLength: 4 });
const somePicture: fc.Arbitrary<UserPart> = fc.record({
  kind: fc.constant("image" as const),
  source: fc.oneof(
    base64.map((data) => ({ kind: "base64" as const, mediaType: "image/png", data })),
    fc.webUrl().map((url) => ({ kind: "url" as const, url })),
  ),
  detail: fc.constantFrom<(string | null)[]>("low", "high", null),
  cache: fc.constant(null),
});
const someDocument: fc.Arbitrary<UserPart> = fc.record({
  kind: fc.constant("document" as const),
  source: base64.map((data) => ({ kind: "base64", mediaType: "application/pdf", data }) as const),
  name: reported,
  cache: fc.constant(null),
});
/** One text, or a list with a picture or document in it: other lists of texts become one text. */
const userParts: fc.Arbitrary<UserPart[]> = fc.oneof(
  plainText.map((part) => [part]),
  fc
    .tuple(
      fc.array(plainText, { maxLength: 2 }),
      fc.oneof(somePicture, someDocument),
      fc.array(plainText, { maxLength: 2 }),
    )
    .map(([before, part, after]) => [...before, part, ...after]),
);
const someName = fc.stringMatching(/^[a-z_]{1,8}$/);
const someCall: fc.Arbitrary<AssistantPart> = fc.record({
  kind: fc.constant("tool-call" as const),
  id: fc.stringMatching(/^[A-Za-z0-9_:.-]{1,8}$/),
  name: someName,
  arguments: someArguments,
  cache: fc.constant(null),
});
const thought = reported.map((words): AssistantPart => ({
  kind: "thinking",
  text: words,
  signature: null,
}));
const refused = reported.map((words): AssistantPart => ({ kind: "refusal", text: words }));
const optionalPart = <T>(part: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(part, { maxLength: 1 });
const assistantParts = fc
  .tuple(
    optionalPart(thought),
    optionalPart<AssistantPart>(plainText),
    optionalPart(refused),
    fc.array(someCall, { maxLength: 3 }),
  )
  .map((parts) => parts.flat())
  .filter((parts) => parts.length > 0);
const someResults = fc.array(
  fc.record({
    callId: someName,
    parts: optionalPart<UserPart>(plainText),
    isError: fc.constant(false),
    cache: fc.constant(null),
  }),
  {
    minLength: 1,
    maxLength: 3,
  },
);
const someTurn: fc.Arbitrary<NeutralTurn> = fc.oneof(
  userParts.map((parts): NeutralTurn => ({ role: "user", parts })),
  assistantParts.map((parts): NeutralTurn => ({ role: "assistant", parts })),
  plainText.map((part): NeutralTurn => ({ role: "system", parts: [part] })),
  someResults.map((results): NeutralTurn => ({ role: "tool-results", results })),
);
/** A system turn at the head would be instructions; neighbouring results of tools are one turn. */
const someTurns = fc
  .tuple(userParts, fc.array(someTurn, { maxLength: 6 }))
  .map(([parts, rest]): NeutralTurn[] => [
    { role: "user", parts },
    ...rest.filter(({ role }, index) => role !== "tool-results" || rest[index - 1]?.role !== role),
  ]);
const someSchema = fc.dictionary(someName, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const someTool = fc.record({
  name: someName,
  description: fc.option(reported),
  schema: fc.option(someSchema),
  strict: fc.option(fc.constant(false)),
  cache: fc.constant(null),
});
const someRequest: fc.Arbitrary<NeutralRequest> = fc
  .record({
    system: optionalPart(plainText),
    turns: someTurns,
    tools: fc.array(someTool, { maxLength: 3 }),
    toolChoice: fc.option(
      fc.oneof(
        fc.constantFrom("auto", "none", "required").map((kind) => ({ kind }) as const),
        someName.map((name) => ({ kind: "tool", name }) as const),
      ),
    ),
    parallelToolCalls: fc.option(fc.boolean()),
    maxTokens: fc.option(fc.integer({ min: 1, max: TARGET.maxOutputTokens })),
    temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
    topP: fc.option(fc.constantFrom(0, 0.5, 1)),
    topK: fc.constant(null),
    stop: fc.array(reported, { maxLength: 3 }),
    format: fc.option(
      fc.oneof(
        fc.constant({ name: null, description: null, schema: null, strict: null }),
        fc.record({
          name: someName,
          description: fc.option(reported),
          schema: someSchema,
          strict: fc.option(fc.constant(false)),
        }),
      ),
    ),
    reasoning: fc.option(
      fc
        .constantFrom("none", "minimal", "low", "medium", "high")
        .map((effort) => ({ kind: "effort", effort }) as const),
    ),
    user: fc.option(reported),
  })
  // Through JSON, as it comes from a caller: no zero has a sign, no object lacks a prototype.
  .map((request): NeutralRequest => JSON.parse(JSON.stringify(request)))
  .map((request) =>
    request.tools.length > 0 ? request : { ...request, toolChoice: null, parallelToolCalls: null },
  );

test("what is written passes this protocol's own validation and is read as it was", () => {
  fc.assert(
    fc.property(someRequest, fc.boolean(), (request, stream) => {
      const writing = writeChatRequest(request, { ...TARGET, stream, reasoning: true });
      assert.ok(writing.ok);
      const validated = readChatRequest(writing.body);
      assert.ok(validated.ok, validated.ok ? "" : validated.fault.message);
      const reading = readNeutral(validated.request.body);
      assert.deepEqual(reading, { ok: true, request });
    }),
    { numRuns: 300 },
  );
});

/**
 * Guarantee: whatever a caller of another protocol may ask, a Messages upstream gets a request that
 * it does not refuse for its form.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThinkingConfigParam } from "@anthropic-ai/sdk/resources/messages/messages";
import fc from "fast-check";
import { TARGET } from "../../../test/support/neutral-request.ts";
import type {
  AssistantPart,
  NeutralRequest,
  NeutralTurn,
  TextPart,
  UserPart,
} from "../neutral/neutral-request.ts";
import { readNeutral } from "./neutral-from-request.ts";
import { writeMessagesRequest } from "./request-from-neutral.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: readonly Block[];
}
interface Body {
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly thinking?: ThinkingConfigParam;
  readonly temperature?: number;
  readonly top_p?: number;
}

const anyText = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom("", " ", "Щука 🐟", "a\n"));
const anyCache = fc.constantFrom(null, { ttl: "5m" } as const, { ttl: "1h" } as const);
const textPart: fc.Arbitrary<TextPart> = fc.record({
  kind: fc.constant("text" as const),
  text: anyText,
  cache: anyCache,
});
const source = fc.oneof(
  fc.record({
    kind: fc.constant("base64" as const),
    mediaType: fc.constant("image/png"),
    data: fc.base64String({ maxLength: 8 }),
  }),
  fc.record({ kind: fc.constant("url" as const), url: fc.webUrl() }),
);
const userPart: fc.Arbitrary<UserPart> = fc.oneof(
  textPart,
  fc.record({
    kind: fc.constant("image" as const),
    source,
    detail: fc.constant(null),
    cache: anyCache,
  }),
  fc.record({
    kind: fc.constant("document" as const),
    source: fc.record({ kind: fc.constant("text" as const), text: anyText }),
    name: fc.option(anyText, { nil: null }),
    cache: anyCache,
  }),
);
const callId = fc.stringMatching(/^[\w-]{1,5}$/);
const callPart: fc.Arbitrary<AssistantPart> = fc.record({
  kind: fc.constant("tool-call" as const),
  id: callId,
  name: fc.constantFrom("f", "g"),
  arguments: fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value)),
    anyText,
  ),
  cache: anyCache,
});
const assistantPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  textPart,
  callPart,
  fc.record({
    kind: fc.constant("thinking" as const),
    text: anyText,
    signature: fc.constantFrom(null, "EqQB"),
  }),
  fc.record({ kind: fc.constant("redacted-thinking" as const), data: fc.constant("EmwK") }),
  fc.record({ kind: fc.constant("refusal" as const), text: anyText }),
);
const turn: fc.Arbitrary<NeutralTurn> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), parts: fc.array(userPart, { maxLength: 3 }) }),
  fc.record({
    role: fc.constant("assistant" as const),
    parts: fc.array(assistantPart, { maxLength: 4 }),
  }),
  fc.record({ role: fc.constant("system" as const), parts: fc.array(textPart, { maxLength: 2 }) }),
  fc.record({
    role: fc.constant("tool-results" as const),
    results: fc.array(
      fc.record({
        callId,
        parts: fc.array(userPart, { maxLength: 2 }),
        isError: fc.boolean(),
        cache: anyCache,
      }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  }),
);
const request: fc.Arbitrary<NeutralRequest> = fc.record({
  system: fc.array(textPart, { maxLength: 2 }),
  turns: fc.array(turn, { maxLength: 8 }),
  tools: fc.array(
    fc.record({
      name: fc.constantFrom("f", "g"),
      description: fc.option(anyText, { nil: null }),
      schema: fc.option(fc.constant({ type: "object", properties: {} }), { nil: null }),
      strict: fc.constantFrom(null, true),
      cache: anyCache,
    }),
    { maxLength: 2 },
  ),
  toolChoice: fc.constantFrom(null, { kind: "auto" }, { kind: "none" }, { kind: "required" }, {
    kind: "tool",
    name: "f",
  } as const),
  parallelToolCalls: fc.constantFrom(null, false),
  maxTokens: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: null }),
  temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true }), { nil: null }),
  topP: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null }),
  topK: fc.option(fc.nat(100), { nil: null }),
  stop: fc.array(anyText, { maxLength: 2 }),
  format: fc.option(
    fc.constant({ name: null, description: null, schema: { type: "object" }, strict: true }),
    { nil: null },
  ),
  reasoning: fc.oneof(
    fc.constantFrom(null, { kind: "off" } as const),
    fc.record({
      kind: fc.constant("effort" as const),
      effort: fc.constantFrom("none", "low", "high"),
    }),
    fc.record({
      kind: fc.constant("budget" as const),
      tokens: fc.integer({ min: 1024, max: 70_000 }),
    }),
    fc.record({ kind: fc.constant("adaptive" as const), effort: fc.constantFrom(null, "medium") }),
  ),
  user: fc.option(anyText, { nil: null }),
});

/** What the vendor refuses a conversation for. */
function assertTakes(body: Body): void {
  const roles = body.messages.map(({ role }) => role);
  assert.ok(roles.length > 0);
  assert.ok(roles.every((role, index) => role === (index % 2 === 0 ? "user" : "assistant")));
  const contents = body.messages.map(({ content }) => content);
  const texts = [
    ...contents.flat(),
    ...contents.flat().flatMap((block) => block.content ?? []),
  ].filter(({ type }) => type === "text");
  assert.ok(texts.every(({ text: reported }) => reported?.trim() !== ""));
  for (const content of contents) {
    assert.ok(content.length > 0);
    const isResult = content.map(({ type }) => type === "tool_result");
    assert.ok(
      isResult.lastIndexOf(true) <
        (isResult.indexOf(false) === -1 ? content.length : isResult.indexOf(false)),
    );
  }
  const last = roles.at(-1) === "assistant" ? contents.at(-1)?.at(-1) : undefined;
  if (last?.type === "text") assert.equal(last.text, last.text?.trimEnd());
  assert.ok(body.max_tokens >= 1 && body.max_tokens <= TARGET.maxOutputTokens);
  assert.ok((body.temperature ?? 0) <= 1);
  assert.ok(body.temperature === undefined || body.top_p === undefined);
  if (body.thinking?.type === "enabled") {
    assert.ok(body.thinking.budget_tokens >= 1024 && body.thinking.budget_tokens < body.max_tokens);
    assert.equal(body.temperature, undefined);
  }
}

test("whatever is asked, the conversation has the form that the vendor takes", () => {
  fc.assert(
    fc.property(request, (asked) => {
      const writing = writeMessagesRequest(asked, TARGET);
      if (writing.ok) return assertTakes(JSON.parse(writing.body.toString("utf8")) as Body);
      assert.equal(writing.fault.details.param, "messages");
    }),
    { numRuns: 500 },
  );
});

test("what was written and is read again says the same, and is written the same again", () => {
  fc.assert(
    fc.property(request, (asked) => {
      const first = writeMessagesRequest(asked, TARGET);
      if (!first.ok) return;
      const reading = readNeutral(
        JSON.parse(first.body.toString("utf8")) as Record<string, unknown>,
      );
      assert.ok(reading.ok, reading.ok ? "" : reading.fault.message);
      const second = writeMessagesRequest(reading.request, TARGET);
      assert.ok(second.ok);
      assert.deepEqual(
        JSON.parse(second.body.toString("utf8")),
        JSON.parse(first.body.toString("utf8")),
      );
    }),
    { numRuns: 500 },
  );
});

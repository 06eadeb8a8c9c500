/**
 * Guarantee: whatever an upstream of another protocol says, and in whatever order, the official SDK
 * takes it and hears the same.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { frameOf } from "../../../test/support/frame-of.ts";
import { neutralAnswer, summaryOf, someText } from "../../../test/support/neutral-answers.ts";
import { sdkMessage } from "../../../test/support/sdk-message.ts";
import { NO_USAGE } from "../../kernel/token-usage.ts";
import type { AnswerIdentity, WireEvent } from "../chat-dialect.ts";
import type { NeutralEvent } from "../neutral/neutral-event.ts";
import { createMessageAssembler } from "./assemble-message.ts";
import { createMessagesWriter } from "./event-writer.ts";
import { answerEvents, createEventReader } from "./events-from-frames.ts";
import { renderMessageEvents } from "./render-events.ts";

const IDENTITY: AnswerIdentity = {
  requestId: "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
  created: 1_763_712_000,
  model: "m",
  answerModel: null,
  promptTokens: 7,
  includeUsage: true,
};
const USAGE = { ...NO_USAGE, inputTokens: 9, outputTokens: 5 };

function written(events: readonly NeutralEvent[]): WireEvent[] {
  const writer = createMessagesWriter(IDENTITY);
  return [...events.flatMap((event) => writer.write([event])), ...writer.end(USAGE)];
}

type Block = {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  id?: string;
  name?: string;
  data?: string;
  input?: string;
};

/**
 * The content that the events come to: blocks in the order in which they begin, calls with the text
 * of their arguments.
 */
function contentOf(events: readonly NeutralEvent[]): unknown[] {
  const blocks: Block[] = [];
  const calls = new Map<number, Block>();
  /** The block of text or thinking that more of it would go to. */
  let open: Block | null = null;
  function add(block: Block): Block {
    blocks.push(block);
    return block;
  }
  for (const event of events) {
    if (event.kind === "text" || event.kind === "refusal") {
      if (event.text === "") continue;
      if (open?.type !== "text") open = add({ type: "text", text: "" });
      open.text += event.text;
    } else if (event.kind === "thinking") {
      if (event.text === "") continue;
      if (open?.type !== "thinking") open = add({ type: "thinking", thinking: "", signature: "" });
      open.thinking += event.text;
    } else if (event.kind === "thinking-end") {
      if (open?.type !== "thinking" && event.signature === null) continue;
      const sealed: Block =
        open?.type === "thinking" ? open : add({ type: "thinking", thinking: "", signature: "" });
      sealed.signature = event.signature ?? "";
      open = null;
    } else if (event.kind === "redacted-thinking") {
      add({ type: "redacted_thinking", data: event.data });
      open = null;
    } else if (event.kind === "tool-start") {
      calls.set(event.call, add({ type: "tool_use", id: event.id, name: event.name, input: "" }));
      open = null;
    } else if (event.kind === "tool-arguments") {
      const call = calls.get(event.call);
      if (call !== undefined) call.input += event.json;
    }
  }
  return blocks.map((block) =>
    block.type === "tool_use"
      ? { ...block, input: JSON.parse(block.input || "{}") as unknown }
      : block,
  );
}

const STOP_REASONS: Record<string, string> = {
  stop: "end_turn",
  "stop-sequence": "stop_sequence",
  length: "max_tokens",
  "context-full": "model_context_window_exceeded",
  "tool-calls": "tool_use",
  refusal: "refusal",
};

/** As an answer with empty pieces between the others, as some upstreams send them. */
const answer = fc
  .tuple(neutralAnswer({ seals: true, refusals: true }), fc.infiniteStream(fc.nat(5)))
  .map(([events, picks]) => {
    const called = new Set<number>();
    return events.flatMap((event, index): NeutralEvent[] => {
      if (event.kind === "tool-start") called.add(event.call);
      if (index === 0 || event.kind === "finish") return [event];
      const pick = picks.next().value ?? 0;
      if (pick === 0) return [{ kind: "text", text: "" }, event];
      if (pick === 1) return [{ kind: "thinking", text: "" }, event];
      return pick === 2 && called.size > 0
        ? [event, { kind: "tool-arguments", call: 0, json: "" }]
        : [event];
    });
  });

test("the official SDK hears what was said, block by block", async () => {
  await fc.assert(
    fc.asyncProperty(answer, async (events) => {
      const message = await sdkMessage(renderMessageEvents(written(events)));
      const { finish, stopSequence } = summaryOf(events);
      assert.deepEqual(message["content"], contentOf(events));
      assert.deepEqual(
        [message["stop_reason"], message["stop_sequence"]],
        [STOP_REASONS[finish ?? ""], stopSequence],
      );
      assert.equal((message["usage"] as Record<string, unknown>)["output_tokens"], 5);
    }),
    { numRuns: 300 },
  );
});

test("what was written and is read again says the same, streamed and assembled", () => {
  fc.assert(
    fc.property(answer, (events) => {
      const wire = JSON.parse(JSON.stringify(written(events))) as WireEvent[];
      const reader = createEventReader();
      const assembler = createMessageAssembler();
      for (const event of wire) assembler.add(event);
      const streamed = wire.flatMap((event) => reader(frameOf(event)));
      const whole = answerEvents(
        JSON.parse(assembler.finish(null).toString("utf8")) as Record<string, unknown>,
      );
      const { finish, stopSequence } = summaryOf(events);
      for (const read of [streamed, whole]) {
        assert.deepEqual(contentOf(read), contentOf(events));
        assert.deepEqual(
          [summaryOf(read).finish, summaryOf(read).stopSequence],
          [finish, stopSequence],
        );
      }
    }),
    { numRuns: 300 },
  );
});

const anyEvent: fc.Arbitrary<NeutralEvent> = fc.oneof(
  fc.record({
    kind: fc.constant("start" as const),
    id: fc.constantFrom(null, "msg_1", ""),
    model: fc.constantFrom(null, "m"),
  }),
  fc.record({
    kind: fc.constantFrom("text" as const, "refusal" as const, "thinking" as const),
    text: someText,
  }),
  fc.record({
    kind: fc.constant("thinking-end" as const),
    signature: fc.constantFrom(null, "EqQB"),
  }),
  fc.record({ kind: fc.constant("redacted-thinking" as const), data: someText }),
  fc.record({
    kind: fc.constant("tool-start" as const),
    call: fc.nat(3),
    id: fc.string(),
    name: fc.string(),
  }),
  fc.record({
    kind: fc.constant("tool-arguments" as const),
    call: fc.nat(3),
    json: fc.oneof(
      someText,
      fc.constantFrom("{", "}", '{"a"', ":1}", ',"b":', "[", "]", "tru", "-", "null"),
    ),
  }),
  fc.record({
    kind: fc.constant("finish" as const),
    reason: fc.constantFrom("stop" as const, "length" as const),
    stopSequence: fc.constant(null),
  }),
);

test("nonsense in any order is a message that the official SDK takes, however it ends", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEvent, { maxLength: 15 }),
      fc.boolean(),
      async (events, stopped) => {
        const writer = createMessagesWriter(IDENTITY);
        const wire = writer.write(events);
        const message = await sdkMessage(
          renderMessageEvents([
            ...wire,
            ...(stopped ? writer.limitStop(USAGE) : writer.end(USAGE)),
          ]),
        );
        const texts = events.flatMap((event) =>
          event.kind === "text" || event.kind === "refusal" ? [event.text] : [],
        );
        const content = message["content"] as Block[];
        const heard = content.filter(({ type }) => type === "text").map((block) => block.text);
        assert.equal(heard.join(""), texts.join(""));
      },
    ),
    { numRuns: 500 },
  );
});

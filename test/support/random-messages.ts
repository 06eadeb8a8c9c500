/** Random Messages answers in the official shape, and random ways to stream them. */
import fc from "fast-check";

type Json = Record<string, unknown>;

export interface RandomMessage {
  /** The answer as it is without streaming, in the order of members that the events give it. */
  readonly whole: Json;
  readonly events: readonly Json[];
}

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const word = fc.string({ minLength: 1, maxLength: 8 });
const citation = fc.record({
  type: fc.constant("char_location"),
  cited_text: text,
  document_index: fc.nat(),
});
const call = { id: word, name: word, input: fc.dictionary(text, fc.jsonValue(), { maxKeys: 4 }) };
const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ type: fc.constant("text"), text, citations: fc.array(citation, { maxLength: 3 }) }),
  fc.record({ type: fc.constant("thinking"), thinking: text, signature: word }),
  fc.record({ type: fc.constant("redacted_thinking"), data: word }),
  fc.record({ type: fc.constant("tool_use"), ...call }),
  fc.record({ type: fc.constant("server_tool_use"), ...call }),
  fc.record({
    type: fc.constant("web_search_tool_result"),
    tool_use_id: word,
    content: fc.array(fc.record({ title: text }), { maxLength: 2 }),
  }),
);
const count = fc.nat({ max: 100_000 });
const inputUsage = fc.record({
  input_tokens: count,
  cache_creation_input_tokens: fc.option(count),
  cache_read_input_tokens: fc.option(count),
  cache_creation: fc.constant(null),
});
const stop = fc.oneof(
  fc.record({
    stop_reason: fc.constantFrom("end_turn", "max_tokens", "tool_use", "pause_turn"),
    stop_sequence: fc.constant(null),
  }),
  fc.record({ stop_reason: fc.constant("stop_sequence"), stop_sequence: word }),
);

/** Cuts a text anywhere, also inside a surrogate pair. */
function cut(value: string, pick: (below: number) => number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < value.length;) {
    const size = 1 + pick(6);
    pieces.push(value.slice(at, at + size));
    at += size;
  }
  return pieces;
}

function begun(whole: Json): Json {
  switch (whole["type"]) {
    case "text":
      return "citations" in whole
        ? { type: "text", text: "", citations: [] }
        : { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool_use":
    case "server_tool_use":
      return { ...whole, input: {} };
    default:
      return whole;
  }
}

function deltasOf(whole: Json, pick: (below: number) => number): Json[] {
  switch (whole["type"]) {
    case "text": {
      const citations = ("citations" in whole ? whole["citations"] : []) as Json[];
      return [
        ...cut(String(whole["text"]), pick).map((piece) => ({ type: "text_delta", text: piece })),
        ...citations.map((one) => ({ type: "citations_delta", citation: one })),
      ];
    }
    case "thinking":
      return [
        ...cut(String(whole["thinking"]), pick).map((piece) => ({
          type: "thinking_delta",
          thinking: piece,
        })),
        { type: "signature_delta", signature: whole["signature"] },
      ];
    case "tool_use":
    case "server_tool_use": {
      const json = JSON.stringify(whole["input"], null, pick(3));
      return ["", ...cut(json, pick)].map((piece) => ({
        type: "input_json_delta",
        partial_json: piece,
      }));
    }
    default:
      return [];
  }
}

export const randomMessage: fc.Arbitrary<RandomMessage> = fc
  .record({
    content: fc.array(block, { maxLength: 5 }),
    input: inputUsage,
    output: count,
    stop,
    random: fc.infiniteStream(fc.nat()),
  })
  .map(({ content, input, output, stop: stopped, random }) => {
    const pick = (below: number): number => (random.next().value ?? 0) % below;
    const shell = { id: "msg_1", type: "message", role: "assistant", model: "echo" };
    const usage = { ...input, output_tokens: 1, service_tier: "standard" };
    const { cache_creation: _split, ...totals } = input;
    const events: Json[] = [
      {
        type: "message_start",
        message: { ...shell, content: [], stop_reason: null, stop_sequence: null, usage },
      },
      ...content.flatMap((one, index): Json[] => [
        { type: "content_block_start", index, content_block: begun(one) },
        ...(pick(4) === 0 ? [{ type: "ping" }] : []),
        ...deltasOf(one, pick).map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ]),
      {
        type: "message_delta",
        delta: stopped,
        usage: pick(2) === 0 ? { output_tokens: output } : { ...totals, output_tokens: output },
      },
      { type: "message_stop" },
    ];
    return {
      whole: { ...shell, content, ...stopped, usage: { ...usage, output_tokens: output } },
      events,
    };
  });

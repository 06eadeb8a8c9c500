/**
 * Guarantee: an event that is known again by its bytes says what it would have said if it had been
 * parsed (hazards §5, §9).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NO_USAGE } from "../kernel/token-usage.ts";
import { anthropicDialect } from "./anthropic/dialect.ts";
import { anthropicUpstream } from "./anthropic/upstream.ts";
import type { AnswerIdentity, ChatDialect, Frame, UpstreamDialect } from "./chat-dialect.ts";
import { openAiDialect } from "./openai/dialect.ts";
import { openAiUpstream } from "./openai/upstream.ts";
import { responsesUpstream } from "./responses/upstream.ts";

const IDENTITY: AnswerIdentity = {
  requestId: "r",
  created: 1,
  model: "m",
  answerModel: "sold",
  promptTokens: 0,
  includeUsage: true,
};

/** The inside of a JSON string as upstreams write it, and as none should. */
const inside = fc.array(
  fc.constantFrom(
    "a",
    " word",
    "ё",
    "🙂",
    "\\n",
    '\\"',
    "\\\\",
    "\\u0451",
    "\\ud83d",
    "\\/",
    "{",
    "}",
    ",",
    ":",
    '","x":"',
    '"',
    "\\",
    "\\x",
    "\t",
    "\n",
    "\n\n",
  ),
  { maxLength: 4 },
);
const constant = fc.constantFrom("a", "b");
/** Mostly the same shape again and again, its text apart. */
const shapes = (texts: readonly ((text: string, other: string) => string)[]) =>
  fc
    .array(fc.tuple(fc.constantFrom(...texts), inside, constant, fc.integer({ min: 1, max: 6 })), {
      maxLength: 12,
    })
    .map((runs) =>
      runs.flatMap(([shape, parts, other, count]) =>
        Array.from({ length: count }, (_, at) => shape(parts.slice(0, at + 1).join(""), other)),
      ),
    );

const chunk = (choices: string, rest = "") =>
  `data: {"id":"c","model":"m","choices":[${choices}]${rest}}\n\n`;
const OPENAI_SHAPES = [
  (text: string) => chunk(`{"index":0,"delta":{"content":"${text}"},"finish_reason":null}`),
  (text: string) => chunk(`{"index":0,"delta":{"content":"${text}"},"finish_reason":null}`),
  (text: string) => `event: x\nid: 7\n${chunk(`{"index":0,"delta":{"content":"${text}"}}`)}`,
  (text: string, other: string) =>
    chunk(`{"index":0,"delta":{"content":"${other}","refusal":"${text}"}}`),
  (text: string, other: string) =>
    chunk(`{"index":0,"delta":{"reasoning":"${other}","reasoning_content":"${text}"}}`),
  (text: string) => chunk(`{"index":0,"delta":{"reasoning":"${text}","content":""}}`),
  (text: string) =>
    chunk(`{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"${text}"}}]}}`),
  (text: string) => chunk(`{"index":0,"delta":{"tool_calls":[{"function":{"name":"${text}"}}]}}`),
  (text: string, other: string) =>
    chunk(
      `{"index":0,"delta":{"tool_calls":[{"id":"${other}","function":{"name":"f","arguments":"${text}"}}]}}`,
    ),
  (text: string) => chunk(`{"index":0,"message":{"content":"${text}"}}`),
  (text: string) => chunk(`{"index":1,"delta":{"content":"${text}"}}`),
  (text: string, other: string) =>
    chunk(`{"index":0,"delta":{"content":"${other}"}}`, `,"object":"${text}"`),
  (text: string) => chunk(`{"index":0,"delta":{"content":"${text}"},"finish_reason":"stop"}`),
  (text: string) =>
    chunk(
      `{"index":0,"delta":{"content":"${text}"}}`,
      ',"usage":{"prompt_tokens":1,"completion_tokens":2}',
    ),
  (text: string) => `data: {"error":{"message":"${text}"}}\n\n`,
  (text: string) => `: ${text}\n\n`,
];

/** A whole message is generated text only where it is the first. */
const PIECE = chunk('{"index":0,"delta":{"role":"assistant","content":"a"}}');
const MESSAGE =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m","model":"x","content":[]}}\n\n';
const delta = (inner: string, index = 0) =>
  `data: {"type":"content_block_delta","index":${index},"delta":{${inner}}}\n\n`;
const named = (inner: string, index = 0) => `event: content_block_delta\n${delta(inner, index)}`;
const begin = (block: string, index = 0) =>
  `event: content_block_start\ndata: {"type":"content_block_start","index":${index},"content_block":{${block}}}\n\n`;
const ANTHROPIC_SHAPES = [
  (text: string) => named(`"type":"text_delta","text":"${text}"`),
  (text: string) => named(`"type":"text_delta","text":"${text}"`),
  (text: string) => named(`"type":"text_delta","text":"${text}"`, 1),
  (text: string) => delta(`"type":"text_delta","text":"${text}"`),
  (text: string) => named(`"type":"thinking_delta","thinking":"${text}"`),
  (text: string) => named(`"type":"input_json_delta","partial_json":"${text}"`),
  (text: string, other: string) => named(`"type":"made_up","text":"${other}","content":"${text}"`),
  (text: string) => named(`"type":"signature_delta","signature":"${text}"`),
  (text: string) => begin(`"type":"text","text":"${text}"`),
  (text: string) => begin(`"type":"thinking","thinking":"${text}"`),
  (text: string) => begin(`"type":"tool_use","id":"${text}","name":"f","input":{}`),
  () => 'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
  () => 'event: ping\ndata: {"type":"ping"}\n\n',
  (text: string) => `event: error\ndata: {"type":"error","error":{"message":"${text}"}}\n\n`,
];

const CREATED =
  'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","model":"x","output":[]}}\n\n';
let number = 0;
const numbered = (type: string, inner: string, rest = "") =>
  `event: ${type}\ndata: {"type":"${type}","sequence_number":${(number += 7)},"item_id":"i","output_index":0,${inner}${rest}}\n\n`;
/** None says again what another has said: that counts only where nothing came before it. */
const RESPONSES_SHAPES = [
  (text: string) => numbered("response.output_text.delta", `"delta":"${text}","logprobs":[]`),
  (text: string, other: string) =>
    numbered("response.output_text.delta", `"delta":"${text}","obfuscation":"${other.repeat(9)}"`),
  (text: string, other: string) =>
    numbered("response.output_text.delta", `"obfuscation":"${other}","delta":"${text}"`),
  (text: string) => numbered("response.output_text.delta", `"obfuscation":"${text}","delta":"a"`),
  (text: string) =>
    numbered("response.output_text.delta", `"delta":"${text}"`, ',"output_index":1'),
  (text: string) => numbered("response.function_call_arguments.delta", `"delta":"${text}"`),
  (text: string) =>
    numbered("response.reasoning_summary_text.delta", `"summary_index":0,"delta":"${text}"`),
  (text: string) => numbered("response.custom_tool_call_input.delta", `"delta":"${text}"`),
  (text: string) => numbered("response.made_up.delta", `"delta":"${text}"`),
  (text: string, other: string) =>
    `data: {"type":"response.refusal.delta","delta":"${text}","sequence_number":${other === "a" ? "7" : "007"}}\n\n`,
  (text: string) => `data: {"type":"response.refusal.delta","delta":"${text}"}\n\n`,
  (text: string) =>
    `event: response.refusal.delta\ndata: {"delta":"${text}","sequence_number":${number}}\n\n`,
  (text: string) =>
    numbered("response.output_item.added", `"item":{"type":"function_call","name":"${text}"}`),
  (text: string) => `event: error\ndata: {"type":"error","message":"${text}"}\n\n`,
  (text: string) => `: ${text}\n\n`,
];

/** What matters of a frame. */
const reported = ({ kind, bytes, payload, text, hasContent, finished, usage, error }: Frame) => ({
  kind,
  bytes: bytes.toString("latin1"),
  payload,
  text,
  hasContent,
  finished,
  usage,
  error,
});

/** The same frame, as one that does not say that it repeats another. */
const asParsed = (frame: Frame): Frame => ({ ...reported(frame), bytes: frame.bytes });

function framesOf(upstream: UpstreamDialect, pieces: readonly Buffer[]): Frame[] {
  const reader = upstream.createFrameReader();
  return pieces.flatMap((piece) => reader.push(piece));
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end));
}

interface Protocol {
  readonly upstream: UpstreamDialect;
  /** Null where no caller speaks it. */
  readonly caller: ChatDialect | null;
  readonly beginning: string;
  readonly events: fc.Arbitrary<string[]>;
}
const PROTOCOLS: readonly Protocol[] = [
  {
    upstream: openAiUpstream,
    caller: openAiDialect,
    beginning: PIECE,
    events: shapes(OPENAI_SHAPES),
  },
  {
    upstream: anthropicUpstream,
    caller: anthropicDialect,
    beginning: MESSAGE,
    events: shapes(ANTHROPIC_SHAPES),
  },
  {
    upstream: responsesUpstream,
    caller: null,
    beginning: CREATED,
    events: shapes(RESPONSES_SHAPES),
  },
];

for (const { upstream, caller, beginning, events } of PROTOCOLS) {
  test(`${upstream.protocol}: however events repeat and however they are cut, each says what it says alone`, () => {
    let repeated = 0;
    fc.assert(
      fc.property(events, fc.array(fc.nat(), { maxLength: 6 }), (list, cuts) => {
        const stream = Buffer.from(beginning + list.join(""));
        const frames = framesOf(upstream, cutAt(stream, cuts));
        assert.deepEqual(Buffer.concat(frames.map(({ bytes }) => bytes)), stream);
        const alone = frames.flatMap(({ bytes }) =>
          framesOf(upstream, [Buffer.from(beginning), bytes]).slice(1),
        );
        // The beginning itself must not come twice.
        assert.deepEqual(frames.slice(1).map(reported), alone.slice(1).map(reported));
        repeated += frames.filter((frame) => frame.repeats === true).length;
      }),
      { numRuns: 1000 },
    );
    assert.ok(repeated > 300, `only ${repeated} were known again`);
  });

  test(`${upstream.protocol}: what repeats is translated and passed as what was parsed`, () => {
    fc.assert(
      fc.property(events, fc.boolean(), (list, rename) => {
        const identity = { ...IDENTITY, answerModel: rename ? "renamed" : null };
        const frames = framesOf(upstream, [Buffer.from(beginning + list.join(""))]).filter(
          ({ kind }) => kind === "data" || kind === "comment",
        );
        const short = upstream.createEventReader();
        const long = upstream.createEventReader();
        for (const frame of frames) assert.deepEqual(short(frame), long(asParsed(frame)));
        if (caller === null) return;
        const one = caller.createNativeWriter(identity);
        const all = caller.createNativeWriter(identity);
        assert.deepEqual(
          all.writeAll(frames) ?? Buffer.alloc(0),
          Buffer.concat(frames.flatMap((frame) => one.write(frame) ?? [])),
        );
        assert.deepEqual(all.limitStop(NO_USAGE), one.limitStop(NO_USAGE));
        // Without a look at what repeats, the end is the same.
        const blind = caller.createNativeWriter(identity);
        for (const frame of frames) if (frame.repeats !== true) blind.write(frame);
        assert.deepEqual(blind.limitStop(NO_USAGE), one.limitStop(NO_USAGE));
      }),
      { numRuns: 500 },
    );
  });
}

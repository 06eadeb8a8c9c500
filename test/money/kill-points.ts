/**
 * The points of a request at which a gateway process is killed: how the upstream gets it there, and
 * what tells that it is there.
 */
import { sseEvent } from "../support/sse-event.ts";
import { openAiChunk, openAiCompletion, openAiStream } from "../support/openai-stream.ts";
import { createGate, type Exchange, type Gate } from "../support/scripted-upstream.ts";

export interface KillPoint {
  readonly name: string;
  /** Of the request, besides `messages`; streamed unless it says otherwise. */
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * On the account. A small balance makes a whole answer with a large limit one that is assembled
   * from a stream.
   */
  readonly roubles: number;
  /** Everything that the upstream sends; it may wait at the gate for the last step. */
  say(exchange: Exchange, gate: Gate): Promise<unknown>;
  /** Text that the client has got by then; null: no byte, or no client there to see. */
  readonly seen: string | null;
  /** What the upstream has delivered by then, for the price that the charge must not pass. */
  readonly delivered: string;
  /** Some of it was saved before the kill, so of a stream something is charged. */
  readonly saved: boolean;
  /** What was saved is the upstream's own count. */
  readonly reported?: true;
  readonly client: "reads" | "is slow" | "leaves";
}

export interface KillPointAt extends KillPoint {
  readonly gate: Gate;
  /** The upstream has said everything. */
  readonly reached: Gate;
}

const PIECES = ["Раз", " two", " three", " четыре", " five", " six"];
const USAGE = { prompt_tokens: 8, completion_tokens: 6, total_tokens: 14 };
const EVENTS = openAiStream({ pieces: PIECES, usage: USAGE });
const FINISH = 1 + PIECES.length;
const WORD = " word";
const WORDS_IN_PIECE = 50;

function upTo(count: number): (exchange: Exchange) => Promise<unknown> {
  return (exchange) => exchange.sendAll(EVENTS.slice(0, count));
}

/** After this many pieces. */
function afterPieces(count: number): Pick<KillPoint, "say" | "seen" | "delivered" | "saved"> {
  return {
    say: upTo(1 + count),
    seen: PIECES[count - 1] ?? null,
    delivered: PIECES.slice(0, count).join(""),
    saved: true,
  };
}

/** Many words in pieces of fifty. */
function words(count: number): Buffer[] {
  return openAiStream({
    pieces: Array.from({ length: count / WORDS_IN_PIECE }, () => WORD.repeat(WORDS_IN_PIECE)),
  }).slice(0, -2);
}

function streamOf(
  answer: Parameters<typeof openAiStream>[0],
  events: number,
): (exchange: Exchange) => Promise<unknown> {
  return (exchange) => exchange.sendAll(openAiStream(answer).slice(0, events));
}

/**
 * Large events with a word of text each: they fill every buffer on the way long before the hold is
 * used up.
 */
async function flood(exchange: Exchange): Promise<void> {
  const filler = "x".repeat(1 << 16);
  const event = openAiChunk({}, [
    { index: 0, delta: { content: WORD }, finish_reason: null, filler },
  ]);
  for (let sent = 0; sent < FLOOD_EVENTS; sent++) if (!(await exchange.send(event))) return;
}
const FLOOD_EVENTS = 400;

const cutInside =
  (index: number, byte: number) =>
  async (exchange: Exchange): Promise<void> => {
    await exchange.sendAll(EVENTS.slice(0, index));
    await exchange.send(EVENTS[index]?.subarray(0, byte) ?? "");
  };
const insideRaz = (EVENTS[1]?.indexOf(Buffer.from("Раз")) ?? 0) + 1;

const STREAM: Omit<KillPoint, "name"> = {
  body: { model: "talk", stream: true },
  roubles: 1000,
  say: async () => undefined,
  seen: null,
  delivered: "",
  saved: false,
  client: "reads",
};
const WHOLE = { ...STREAM, body: { model: "talk", max_tokens: 50 } };
const ASSEMBLED = { ...STREAM, body: { model: "talk" }, roubles: 50 };
const completion = JSON.stringify(openAiCompletion({ pieces: PIECES, usage: USAGE }));
const LONG_WORDS = "Государственная организация предоставляет возможность ".repeat(3);
const SENTENCE = "One two three four five six seven eight.";

/** Points at which a request simply waits for its upstream. */
export const WAITING_POINTS: readonly KillPoint[] = [
  { ...STREAM, name: "the upstream has the request" },
  { ...STREAM, name: "headers without a byte", say: async (exchange) => exchange.head() },
  { ...STREAM, name: "a comment", say: (exchange) => exchange.send(": thinking\n\n") },
  { ...STREAM, name: "the role", say: upTo(1) },
  { ...STREAM, name: "chunk 1", ...afterPieces(1) },
  { ...STREAM, name: "chunk 2", ...afterPieces(2) },
  { ...STREAM, name: "chunk 5", ...afterPieces(5) },
  { ...STREAM, name: "half an event", ...afterPieces(2), say: cutInside(3, 40) },
  { ...STREAM, name: "inside a character", say: cutInside(1, insideRaz) },
  {
    ...STREAM,
    name: "an extension",
    say: (exchange) => exchange.sendAll(words(1000)),
    seen: WORD,
    delivered: WORD.repeat(1000),
    saved: true,
  },
  {
    ...STREAM,
    name: "a slow client",
    say: flood,
    seen: WORD,
    delivered: WORD.repeat(FLOOD_EVENTS),
    saved: true,
    client: "is slow",
  },
  { ...STREAM, name: "the finish reason", ...afterPieces(6), say: upTo(FINISH + 1) },
  { ...STREAM, name: "the usage", ...afterPieces(6), say: upTo(FINISH + 2) },
  {
    ...STREAM,
    name: "usage in every chunk",
    say: async (exchange) =>
      exchange.send(
        openAiChunk({}, [{ index: 0, delta: { content: SENTENCE }, finish_reason: null }], {
          ...USAGE,
          completion_tokens: 4,
        }),
      ),
    seen: SENTENCE,
    delivered: SENTENCE,
    saved: true,
    reported: true,
  },
  {
    ...STREAM,
    name: "half a tool call",
    say: streamOf(
      { toolCalls: [{ id: "call_1", name: "lookup", arguments: ['{"city":', '"Moscow', '"}'] }] },
      3,
    ),
    seen: "city",
    delivered: 'lookup{"city":',
    saved: true,
  },
  {
    ...STREAM,
    name: "reasoning",
    say: streamOf({ reasoning: ["let", " me", " think"] }, 4),
    seen: "think",
    delivered: "let me think",
    saved: true,
  },
  {
    ...STREAM,
    name: "two choices",
    body: { ...STREAM.body, n: 2 },
    say: streamOf({ pieces: PIECES, n: 2 }, 6),
    seen: " two",
    delivered: "Раз two".repeat(2),
    saved: true,
  },
  {
    ...STREAM,
    name: "long words",
    say: streamOf({ pieces: [LONG_WORDS] }, 2),
    seen: LONG_WORDS,
    delivered: LONG_WORDS,
    saved: true,
  },
  {
    ...STREAM,
    name: "a letter at a time",
    say: streamOf({ pieces: [...LONG_WORDS] }, LONG_WORDS.length),
    seen: `"и"`,
    delivered: LONG_WORDS,
    saved: true,
  },
  {
    ...STREAM,
    name: "the second route",
    ...afterPieces(3),
    body: { model: "second-route", stream: true },
  },
  {
    ...STREAM,
    name: "the client has left",
    ...afterPieces(5),
    body: { model: "drained", stream: true },
    seen: null,
    client: "leaves",
  },
  { ...WHOLE, name: "whole answer, no headers" },
  {
    ...WHOLE,
    name: "whole answer, half a body",
    say(exchange) {
      exchange.head(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(completion),
      });
      return exchange.send(completion.slice(0, 60));
    },
  },
  { ...ASSEMBLED, name: "assembling, the role", say: upTo(1) },
  { ...ASSEMBLED, name: "assembling, chunk 3", ...afterPieces(3), seen: null },
  {
    ...ASSEMBLED,
    name: "assembling, the usage",
    ...afterPieces(6),
    say: upTo(FINISH + 2),
    seen: null,
  },
];

async function throughGate(
  exchange: Exchange,
  gate: Gate,
  first: readonly Buffer[],
  then: readonly (Buffer | string)[],
): Promise<void> {
  await exchange.sendAll(first);
  await gate.wait;
  await exchange.sendAll(then);
}

const BEYOND = words(1100);
const extension: KillPoint = {
  ...STREAM,
  name: "waiting for an extension",
  say: (exchange, gate) => throughGate(exchange, gate, BEYOND.slice(0, 3), BEYOND.slice(3)),
  seen: WORD,
  delivered: WORD.repeat(1100),
  saved: true,
};
const settlement: KillPoint = {
  ...STREAM,
  ...afterPieces(6),
  name: "[DONE], the settlement",
  say: (exchange, gate) => throughGate(exchange, gate, EVENTS.slice(0, -1), [sseEvent("[DONE]")]),
};

/**
 * Points at which a request waits for a decision of the database: the test opens their gates while
 * it holds their accounts locked.
 */
export const DECISION_POINTS = {
  hold: { ...STREAM, name: "the hold" },
  extension,
  behind: { ...extension, name: "waiting behind another's extension" },
  settlement,
} satisfies Record<string, KillPoint>;

export function atPoint(point: KillPoint): KillPointAt {
  return { ...point, gate: createGate(), reached: createGate() };
}

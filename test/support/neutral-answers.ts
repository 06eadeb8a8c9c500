/**
 * Random answers as neutral events, and what an answer says however it is cut, for tests of
 * translation.
 */
import fc from "fast-check";
import type { FinishReason, NeutralEvent } from "../../src/protocol/neutral/neutral-event.ts";

export interface AnswerCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface AnswerContent {
  readonly id: string | null;
  readonly model: string | null;
  readonly text: string;
  readonly refusal: string;
  readonly thinking: string;
  readonly calls: readonly AnswerCall[];
  readonly finish: FinishReason | null;
  readonly stopSequence: string | null;
}

/**
 * Joins what belongs together. Fails where the events are not in the order that neutral-event.ts
 * describes.
 */
export function summaryOf(events: readonly NeutralEvent[]): AnswerContent {
  const reported = { text: "", refusal: "", thinking: "" };
  const calls: { id: string; name: string; arguments: string }[] = [];
  let start: Extract<NeutralEvent, { kind: "start" }> | null = null;
  let finish: Extract<NeutralEvent, { kind: "finish" }> | null = null;
  for (const event of events) {
    if ((start === null) !== (event.kind === "start"))
      throw new Error(`${event.kind} in the wrong place`);
    if (event.kind === "start") start = event;
    else if (event.kind === "finish") finish = event;
    else if (event.kind === "tool-start") {
      if (event.call !== calls.length)
        throw new Error(`call ${event.call} starts as number ${calls.length}`);
      calls.push({ id: event.id, name: event.name, arguments: "" });
    } else if (event.kind === "tool-arguments") {
      const call = calls[event.call];
      if (call === undefined)
        throw new Error(`arguments of call ${event.call}, which has not started`);
      call.arguments += event.json;
    } else if (event.kind === "text" || event.kind === "refusal" || event.kind === "thinking")
      reported[event.kind] += event.text;
  }
  if (finish !== null && events.at(-1) !== finish)
    throw new Error(`${events.at(-1)?.kind} after the last finish`);
  return {
    id: start?.id ?? null,
    model: start?.model ?? null,
    ...reported,
    calls,
    finish: finish?.reason ?? null,
    stopSequence: finish?.stopSequence ?? null,
  };
}

/** Text of every width, with what JSON and event streams must escape. */
export const someText = fc.string({
  unit: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom("a", " ", "П", "ё", "\n", '"', "\\", "👋", "🏽", "漢", "\u2028"),
    },
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  ),
  maxLength: 24,
});

/** The text in pieces, cut anywhere, between the halves of a character too. None is empty. */
export function pieces(text: string): fc.Arbitrary<string[]> {
  return fc.array(fc.nat(text.length), { maxLength: 4 }).map((cuts) => {
    const bounds = [0, ...cuts.toSorted((a, b) => a - b), text.length];
    return bounds
      .slice(1)
      .flatMap((end, index) =>
        end > (bounds[index] ?? 0) ? [text.slice(bounds[index], end)] : [],
      );
  });
}

const inPieces = someText.chain(pieces);
/** The JSON text of an object, as the arguments of a call are. */
export const someArguments = fc
  .dictionary(
    someText,
    fc.oneof(someText, fc.integer(), fc.boolean(), fc.array(someText, { maxLength: 2 })),
    { maxKeys: 3 },
  )
  .map((input) => JSON.stringify(input));

export interface AnswerKinds {
  /** Seals of thinking and redacted thinking, which only one of the protocols has. */
  readonly seals: boolean;
  readonly refusals: boolean;
}

/** What is said one after the other, in groups that nothing comes between. */
type Lane = readonly (readonly NeutralEvent[])[];

function blockLane({ seals, refusals }: AnswerKinds): fc.Arbitrary<Lane> {
  const text = inPieces.map((list): Lane => list.map((piece) => [{ kind: "text", text: piece }]));
  const refusal = inPieces.map((list): Lane =>
    list.map((piece) => [{ kind: "refusal", text: piece }]),
  );
  const thinking = fc
    .tuple(inPieces, fc.option(fc.stringMatching(/^[A-Za-z0-9+/]{4,12}$/)))
    .map(([list, signature]): Lane => {
      const reported: NeutralEvent[] = list.map((piece) => ({ kind: "thinking", text: piece }));
      return [seals ? [...reported, { kind: "thinking-end", signature }] : reported];
    });
  const redacted = fc
    .base64String({ minLength: 4 })
    .map((data): Lane => [[{ kind: "redacted-thinking", data }]]);
  const blocks = fc.oneof(
    text,
    thinking,
    ...(seals ? [redacted] : []),
    ...(refusals ? [refusal] : []),
  );
  return fc.array(blocks, { maxLength: 4 }).map((list) => list.flat());
}

/** One call; its number is put in once it is known when it starts. */
const callLane = fc
  .tuple(
    fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/),
    fc.stringMatching(/^[a-z_]{1,10}$/),
    someArguments.chain(pieces),
  )
  .map(([id, name, list]): Lane => [
    [{ kind: "tool-start", call: 0, id, name }],
    ...list.map((json): NeutralEvent[] => [{ kind: "tool-arguments", call: 0, json }]),
  ]);

/**
 * Takes the next group of one lane after the other, as `picks` say, and numbers the calls in the
 * order of their starts.
 */
function interleave(lanes: readonly Lane[], picks: readonly number[]): NeutralEvent[] {
  const rest = lanes.map((lane, index) => ({ index, groups: [...lane] }));
  const numbers = new Map<number, number>();
  const events: NeutralEvent[] = [];
  for (let turn = 0; ; turn++) {
    const open = rest.filter((lane) => lane.groups.length > 0);
    const lane = open[(picks[turn % picks.length] ?? 0) % Math.max(1, open.length)];
    if (lane === undefined) return events;
    for (const event of lane.groups.shift() ?? []) {
      if (event.kind === "tool-start") numbers.set(lane.index, numbers.size);
      const numbered = event.kind === "tool-start" || event.kind === "tool-arguments";
      events.push(numbered ? { ...event, call: numbers.get(lane.index) ?? 0 } : event);
    }
  }
}

function ending(called: boolean, refusing: boolean): fc.Arbitrary<NeutralEvent> {
  const reasons: FinishReason[] = called
    ? ["tool-calls", "length"]
    : refusing
      ? ["refusal", "length"]
      : ["stop", "stop-sequence", "length", "context-full", "refusal"];
  return fc
    .tuple(fc.constantFrom(...reasons), fc.string({ minLength: 1, maxLength: 5 }))
    .map(([reason, sequence]) => ({
      kind: "finish",
      reason,
      stopSequence: reason === "stop-sequence" ? sequence : null,
    }));
}

/**
 * Whole answers: blocks, and up to three calls whose pieces come between each other's and the
 * blocks'.
 */
export function neutralAnswer(kinds: AnswerKinds): fc.Arbitrary<NeutralEvent[]> {
  const start = fc.record({
    kind: fc.constant("start" as const),
    id: fc.option(fc.constantFrom("msg_1", "chatcmpl-1", "x")),
    model: fc.option(fc.constant("echo")),
  });
  const calls = fc.uniqueArray(callLane, {
    maxLength: 3,
    selector: ([first]) => (first?.[0]?.kind === "tool-start" ? first[0].id : ""),
  });
  return fc
    .tuple(start, blockLane(kinds), calls, fc.array(fc.nat(10), { minLength: 1, maxLength: 20 }))
    .chain(([first, blocks, lanes, picks]) => {
      const reported = interleave([blocks, ...lanes], picks);
      const refusing = blocks.flat().some(({ kind }) => kind === "refusal");
      return ending(lanes.length > 0, refusing).map((last) => [first, ...reported, last]);
    });
}

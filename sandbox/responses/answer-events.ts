/**
 * The stream of a response, each event with its `event:` line and a number: created, the items one
 * after the other, the whole response at the end.
 */
import { createHash } from "node:crypto";
import type { Served } from "../dialect.ts";
import { isObject, type JsonObject } from "../is-object.ts";
import { splitPieces } from "../split-pieces.ts";
import { begunResponse, finalResponse, itemsOf, type Item } from "./whole-answer.ts";

type Event = readonly [type: string, rest: JsonObject];

export function* answerEvents(served: Served): Generator<string> {
  const padded = !(
    isObject(served.body.stream_options) && served.body.stream_options.include_obfuscation === false
  );
  let number = 0;
  for (const [type, rest] of events(served)) {
    const padding =
      padded && type.endsWith(".delta") ? { obfuscation: paddingOf(served.id, number) } : {};
    yield `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...rest, ...padding })}\n\n`;
    number += 1;
  }
}

/** Hides how long a delta is, as the vendor does: letters of no meaning and of any number. */
function paddingOf(id: string, number: number): string {
  const letters = createHash("sha256").update(`${id}:${number}`).digest("base64url");
  return letters.slice(0, 1 + (number % 16));
}

function* events(served: Served): Generator<Event> {
  const [answer] = served.answers;
  if (answer === undefined) return;
  const { directives } = served;
  yield ["response.created", { response: begunResponse(served) }];
  yield ["response.in_progress", { response: begunResponse(served) }];
  for (const [index, item] of itemsOf(served, answer).entries()) yield* itemEvents(item, index);
  if (directives.noDone) return;
  const response = finalResponse(served, answer);
  yield [`response.${String(response.status)}`, { response }];
}

function* itemEvents(item: Item, index: number): Generator<Event> {
  const place = { item_id: item.id, output_index: index };
  yield ["response.output_item.added", { output_index: index, item: emptied(item) }];
  if (item.type === "message") yield* contentEvents(item, place);
  else if (item.type === "reasoning") yield* summaryEvents(item, place);
  else if (item.type === "function_call")
    yield* textEvents("response.function_call_arguments", "arguments", item, place);
  else yield* textEvents("response.custom_tool_call_input", "input", item, place);
  yield ["response.output_item.done", { output_index: index, item }];
}

function emptied(item: Item): JsonObject {
  const { encrypted_content: _sealed, ...open } = item;
  switch (item.type) {
    case "message":
      return { ...open, status: "in_progress", content: [] };
    case "reasoning":
      return { ...open, summary: [] };
    case "function_call":
      return { ...open, status: "in_progress", arguments: "" };
    default:
      return { ...open, status: "in_progress", input: "" };
  }
}

function partsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function* contentEvents(item: Item, place: JsonObject): Generator<Event> {
  for (const [at, part] of partsOf(item.content).entries()) {
    const where = { ...place, content_index: at };
    const refusal = part.type === "refusal";
    const member = refusal ? "refusal" : "text";
    yield ["response.content_part.added", { ...where, part: { ...part, [member]: "" } }];
    yield* refusal
      ? textEvents("response.refusal", member, part, where)
      : textEvents("response.output_text", member, part, where, { logprobs: [] });
    yield ["response.content_part.done", { ...where, part }];
  }
}

function* summaryEvents(item: Item, place: JsonObject): Generator<Event> {
  for (const [at, part] of partsOf(item.summary).entries()) {
    const where = { ...place, summary_index: at };
    yield ["response.reasoning_summary_part.added", { ...where, part: { ...part, text: "" } }];
    yield* textEvents("response.reasoning_summary_text", "text", part, where);
    yield ["response.reasoning_summary_part.done", { ...where, part }];
  }
}

function* textEvents(
  type: string,
  member: string,
  holder: JsonObject,
  place: JsonObject,
  more: JsonObject = {},
): Generator<Event> {
  const text = String(holder[member]);
  for (const delta of splitPieces(text)) yield [`${type}.delta`, { ...place, delta, ...more }];
  yield [`${type}.done`, { ...place, [member]: text, ...more }];
}

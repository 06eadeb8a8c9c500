/** The events that end what is open of an item, where the gateway stops a stream of this protocol. */
import type { WireEvent } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";

type Fields = Record<string, unknown>;
type List = "content" | "summary";

const ENDS: ReadonlyMap<unknown, List | "item"> = new Map<unknown, List | "item">([
  ["response.output_item.done", "item"],
  ["response.content_part.done", "content"],
  ["response.reasoning_summary_part.done", "summary"],
]);

/** Which items and parts of a stream have been ended. */
export class EndedParts {
  readonly #keys = new Set<string>();

  add({ type, output_index: item, content_index: content, summary_index: summary }: Fields): void {
    const ended = ENDS.get(type);
    if (ended === undefined) return;
    const part = ended === "item" ? "" : ended === "content" ? content : summary;
    this.#keys.add(`${String(item)}.${ended}.${String(part)}`);
  }

  has(index: number, list: List | "item", part: number | "" = ""): boolean {
    return this.#keys.has(`${index}.${list}.${part}`);
  }
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isRecord) : [];
}

function contentEnds(part: Fields, place: Fields): WireEvent[] {
  const closed = { type: "response.content_part.done", ...place, part };
  if (part["type"] === "refusal")
    return [{ type: "response.refusal.done", ...place, refusal: part["refusal"] ?? "" }, closed];
  const type =
    part["type"] === "reasoning_text"
      ? "response.reasoning_text.done"
      : "response.output_text.done";
  return [{ type, ...place, text: part["text"] ?? "", logprobs: [] }, closed];
}

function summaryEnds(part: Fields, place: Fields): WireEvent[] {
  return [
    { type: "response.reasoning_summary_text.done", ...place, text: part["text"] ?? "" },
    { type: "response.reasoning_summary_part.done", ...place, part },
  ];
}

/**
 * None for an item that has ended. Null for a call that was cut off and must not be made by mistake:
 * it has no end, and no place in the output, since a text that was cut looks like a whole one.
 */
export function endEvents(index: number, item: Fields, ended: EndedParts): WireEvent[] | null {
  if (ended.has(index, "item")) return [];
  const { type, id } = item;
  if (type !== "message" && type !== "reasoning" && type !== "function_call") return null;
  const place = { item_id: id, output_index: index };
  const parts = [
    ...listOf(item["content"]).flatMap((part, at) =>
      ended.has(index, "content", at) ? [] : contentEnds(part, { ...place, content_index: at }),
    ),
    ...listOf(item["summary"]).flatMap((part, at) =>
      ended.has(index, "summary", at) ? [] : summaryEnds(part, { ...place, summary_index: at }),
    ),
  ];
  const args = { type: "response.function_call_arguments.done", ...place };
  return [
    ...parts,
    ...(type === "function_call"
      ? [{ ...args, arguments: item["arguments"] ?? "", name: item["name"] ?? "" }]
      : []),
    { type: "response.output_item.done", output_index: index, item },
  ];
}

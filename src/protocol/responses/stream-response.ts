/**
 * A whole response as the stream that says the same, for upstreams that answer whole where a stream
 * was asked for.
 */
import type { WireEvent } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";

type Fields = Record<string, unknown>;

export function streamResponse(data: Fields): Buffer {
  const output: readonly unknown[] = Array.isArray(data["output"]) ? data["output"] : [];
  const begun = { ...data, status: "in_progress", output: [], usage: null };
  const incomplete = data["status"] === "incomplete";
  const events: WireEvent[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...output.filter(isRecord).flatMap(itemEvents),
    { type: incomplete ? "response.incomplete" : "response.completed", response: data },
  ];
  return Buffer.from(
    events
      .map((event, number) => {
        const { type, ...rest } = event;
        const json = JSON.stringify({ type, sequence_number: number, ...rest });
        return `event: ${String(type)}\ndata: ${json}\n\n`;
      })
      .join(""),
  );
}

function itemEvents(item: Fields, index: number): WireEvent[] {
  const place = {
    output_index: index,
    ...(item["id"] === undefined ? {} : { item_id: item["id"] }),
  };
  const { begun, within } = partsOf(item, place);
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    ...within,
    { type: "response.output_item.done", output_index: index, item },
  ];
}

/** What an item begins with, and what comes before its end. */
function partsOf(
  item: Fields,
  place: Fields,
): { readonly begun: Fields; readonly within: readonly WireEvent[] } {
  const open = { ...item, status: "in_progress" };
  switch (item["type"]) {
    case "message":
      return {
        begun: { ...open, content: [] },
        within: listOf(item["content"]).flatMap((part, index) =>
          contentEvents(part, { ...place, content_index: index }),
        ),
      };
    case "reasoning":
      return {
        begun: { ...item, summary: [], content: item["content"] === undefined ? undefined : [] },
        within: [
          ...listOf(item["summary"]).flatMap((part, index) =>
            summaryEvents(part, { ...place, summary_index: index }),
          ),
          ...listOf(item["content"]).flatMap((part, index) =>
            textEvents("response.reasoning_text", "text", part, { ...place, content_index: index }),
          ),
        ],
      };
    case "function_call":
      return {
        begun: { ...open, arguments: "" },
        within: textEvents("response.function_call_arguments", "arguments", item, place),
      };
    case "custom_tool_call":
      return {
        begun: { ...open, input: "" },
        within: textEvents("response.custom_tool_call_input", "input", item, place),
      };
    default:
      return { begun: item, within: [] };
  }
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isRecord) : [];
}

/** One delta with all of a text, and the event that closes it; none where it is no text. */
function textEvents(type: string, member: string, holder: Fields, place: Fields): WireEvent[] {
  const text = holder[member];
  if (typeof text !== "string") return [];
  return [
    ...(text === "" ? [] : [{ type: `${type}.delta`, ...place, delta: text }]),
    { type: `${type}.done`, ...place, [member]: text },
  ];
}

function contentEvents(part: Fields, place: Fields): WireEvent[] {
  const refusal = part["type"] === "refusal";
  const member = refusal ? "refusal" : "text";
  const type = refusal ? "response.refusal" : "response.output_text";
  const empty = typeof part[member] === "string" ? { [member]: "" } : {};
  return [
    { type: "response.content_part.added", ...place, part: { ...part, ...empty } },
    ...textEvents(type, member, part, refusal ? place : { ...place, logprobs: [] }),
    { type: "response.content_part.done", ...place, part },
  ];
}

function summaryEvents(part: Fields, place: Fields): WireEvent[] {
  const empty = typeof part["text"] === "string" ? { text: "" } : {};
  return [
    { type: "response.reasoning_summary_part.added", ...place, part: { ...part, ...empty } },
    ...textEvents("response.reasoning_summary_text", "text", part, place),
    { type: "response.reasoning_summary_part.done", ...place, part },
  ];
}

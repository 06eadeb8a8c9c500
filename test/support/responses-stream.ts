/**
 * Builds answers of a responses upstream for scripts: streams as one buffer per event, and whole
 * responses, with all that the public reference wants of them.
 */
import { sseEvent } from "./sse-event.ts";

export type ResponsesItem =
  | { readonly type: "message"; readonly pieces: readonly string[]; readonly refusal?: true }
  | {
      readonly type: "reasoning";
      /** Of its summary, in one part. */
      readonly pieces: readonly string[];
      /** What is sealed; absent: nothing is. */
      readonly encrypted?: string;
    }
  | {
      readonly type: "function_call";
      readonly callId: string;
      readonly name: string;
      readonly pieces: readonly string[];
    };

export interface ResponsesAnswer {
  readonly id?: string;
  readonly model?: string;
  readonly items: readonly ResponsesItem[];
  /** The usage object, as it shall stand on the wire; undefined: no usage anywhere. */
  readonly usage?: unknown;
  /** Why it is incomplete; absent: it is completed. */
  readonly incomplete?: string;
  /** False leaves the last event out. */
  readonly end?: boolean;
}

type Fields = Record<string, unknown>;

/** Created, in progress, each item from its beginning to its end, the whole response. */
export function responsesStream(answer: ResponsesAnswer): Buffer[] {
  const events: Buffer[] = [];
  const push = (type: string, rest: Fields): void =>
    void events.push(sseEvent({ type, sequence_number: events.length, ...rest }, type));
  const begun = { ...shell(answer), status: "in_progress", output: [], usage: null };
  push("response.created", { response: begun });
  push("response.in_progress", { response: begun });
  for (const [index, item] of answer.items.entries()) {
    const whole = wholeItem(item, index);
    push("response.output_item.added", { output_index: index, item: emptyItem(item, whole) });
    const place = { item_id: whole["id"], output_index: index };
    const { type, member, part, beside } = textOf(item);
    if (part !== null)
      push(part.added, { ...place, ...part.place, part: { ...part.of, [member]: "" } });
    const where = { ...place, ...part?.place };
    for (const delta of item.pieces) push(`${type}.delta`, { ...where, delta, ...beside });
    push(`${type}.done`, { ...where, [member]: item.pieces.join(""), ...beside });
    if (part !== null)
      push(part.done, { ...where, part: { ...part.of, [member]: item.pieces.join("") } });
    push("response.output_item.done", { output_index: index, item: whole });
  }
  const whole = responsesWhole(answer);
  if (answer.end !== false) push(`response.${String(whole["status"])}`, { response: whole });
  return events;
}

/** The non-streamed form of the same answer. */
export function responsesWhole(answer: ResponsesAnswer): Fields {
  return {
    ...shell(answer),
    status: answer.incomplete === undefined ? "completed" : "incomplete",
    incomplete_details: answer.incomplete === undefined ? null : { reason: answer.incomplete },
    output: answer.items.map(wholeItem),
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
  };
}

function shell({ id, model }: ResponsesAnswer): Fields {
  return {
    id: id ?? "resp_scripted",
    object: "response",
    created_at: 1_790_000_000,
    completed_at: null,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: model ?? "scripted",
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: "default",
    store: false,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: "disabled",
    metadata: {},
  };
}

function wholeItem(item: ResponsesItem, index: number): Fields {
  const text = item.pieces.join("");
  switch (item.type) {
    case "message":
      return {
        id: `msg_${index}`,
        type: "message",
        status: "completed",
        role: "assistant",
        content: [
          item.refusal === true
            ? { type: "refusal", refusal: text }
            : { type: "output_text", annotations: [], logprobs: [], text },
        ],
      };
    case "reasoning":
      return {
        id: `rs_${index}`,
        type: "reasoning",
        summary: text === "" ? [] : [{ type: "summary_text", text }],
        ...(item.encrypted === undefined ? {} : { encrypted_content: item.encrypted }),
      };
    case "function_call":
      return {
        id: `fc_${index}`,
        type: "function_call",
        status: "completed",
        call_id: item.callId,
        name: item.name,
        arguments: text,
      };
  }
}

function emptyItem(item: ResponsesItem, whole: Fields): Fields {
  switch (item.type) {
    case "message":
      return { ...whole, status: "in_progress", content: [] };
    case "reasoning":
      return { ...whole, summary: [], encrypted_content: undefined };
    case "function_call":
      return { ...whole, status: "in_progress", arguments: "" };
  }
}

interface PartEvents {
  readonly added: string;
  readonly done: string;
  readonly place: Fields;
  readonly of: Fields;
}

/** How the text of an item is told; `part` where it stands in a list. */
function textOf(item: ResponsesItem): {
  readonly type: string;
  readonly member: string;
  readonly part: PartEvents | null;
  readonly beside?: Fields;
} {
  if (item.type === "function_call")
    return { type: "response.function_call_arguments", member: "arguments", part: null };
  const list = item.type === "reasoning" ? "reasoning_summary_part" : "content_part";
  const events = { added: `response.${list}.added`, done: `response.${list}.done` };
  if (item.type === "reasoning")
    return {
      type: "response.reasoning_summary_text",
      member: "text",
      part: { ...events, place: { summary_index: 0 }, of: { type: "summary_text" } },
    };
  const place = { content_index: 0 };
  return item.refusal === true
    ? {
        type: "response.refusal",
        member: "refusal",
        part: { ...events, place, of: { type: "refusal" } },
      }
    : {
        type: "response.output_text",
        member: "text",
        part: { ...events, place, of: { type: "output_text", annotations: [], logprobs: [] } },
        beside: { logprobs: [] },
      };
}

export function responsesUsage(input: number, output: number, more: Fields = {}): Fields {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
    ...more,
  };
}

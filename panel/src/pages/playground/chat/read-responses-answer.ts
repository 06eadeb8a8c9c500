/** What a Responses answer says, whole or event by event. */
import { NO_ANSWER } from "./conversation.ts";
import type { Answer, ToolCall } from "./conversation.ts";

interface Item {
  readonly type?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly encrypted_content?: string | null;
  readonly summary?: readonly { readonly text?: string }[];
  readonly content?: readonly { readonly text?: string; readonly refusal?: string }[];
}

interface Response {
  readonly status?: string;
  readonly output?: readonly Item[];
  readonly incomplete_details?: { readonly reason?: string } | null;
}

interface Event {
  readonly type?: string;
  readonly delta?: string;
  readonly item?: Item;
  readonly response?: Response;
}

/** Adds an event. Calls come one after the other, so a piece belongs to the last one. */
export function addResponsesEvent(answer: Answer, event: unknown): Answer {
  const { type, delta = "", item = {}, response = {} } = event as Event;
  switch (type) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      return { ...answer, text: answer.text + delta };
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return { ...answer, thinking: answer.thinking + delta };
    case "response.output_item.added":
      return item.type === "function_call"
        ? withCall(answer, callOf({ ...item, arguments: "" }))
        : answer;
    case "response.function_call_arguments.delta":
      return withPiece(answer, delta);
    case "response.output_item.done":
      return withItemEnd(answer, item);
    case "response.completed":
    case "response.incomplete":
      return { ...answer, finish: finishOf(response) };
    default:
      return answer;
  }
}

export function readResponsesAnswer(body: unknown): Answer {
  const response = body as Response;
  const answer = (response.output ?? []).reduce(addWhole, NO_ANSWER);
  return { ...answer, finish: finishOf(response) };
}

function addWhole(answer: Answer, item: Item): Answer {
  const joined = (parts: readonly { readonly text?: string; readonly refusal?: string }[] = []) =>
    parts.map(({ text, refusal }) => text ?? refusal ?? "").join("");
  switch (item.type) {
    case "message":
      return { ...answer, text: answer.text + joined(item.content) };
    case "reasoning":
      return withItemEnd({ ...answer, thinking: answer.thinking + joined(item.summary) }, item);
    case "function_call":
      return withCall(answer, callOf(item));
    default:
      return answer;
  }
}

function callOf({ call_id: id = "", name = "", arguments: given = "" }: Item): ToolCall {
  return { id, name, arguments: given };
}

function withCall(answer: Answer, call: ToolCall): Answer {
  return { ...answer, calls: [...answer.calls, call] };
}

function withPiece(answer: Answer, piece: string): Answer {
  const last = answer.calls.at(-1);
  if (last === undefined) return answer;
  const grown = { ...last, arguments: last.arguments + piece };
  return { ...answer, calls: answer.calls.with(-1, grown) };
}

/** What is to be given back with the thought. */
function withItemEnd(answer: Answer, { type, encrypted_content: sealed }: Item): Answer {
  return type === "reasoning" && typeof sealed === "string"
    ? { ...answer, signature: sealed }
    : answer;
}

function finishOf({ status = "completed", incomplete_details: details }: Response): string {
  return details?.reason ?? status;
}

/** Writes the turns of a neutral request as the input items of a Responses request. */
import { hash } from "node:crypto";
import type {
  AssistantPart,
  DocumentPart,
  MediaSource,
  NeutralRequest,
  NeutralTurn,
  TextPart,
  ToolResult,
  UserPart,
} from "../neutral/neutral-request.ts";
import { readResponsesSeal } from "../reasoning-seal.ts";

export interface Item {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Input {
  /** Null where nothing comes before the first turn. */
  readonly instructions: string | null;
  readonly input: readonly Item[];
}

/** The vendor refuses a longer id of a call; other upstreams have given such. */
const CALL_ID_CHARACTERS = 64;
const HASH_CHARACTERS = 32;

/** Of the id alone, so call and result are changed alike. */
function callId(id: string): string {
  return id.length <= CALL_ID_CHARACTERS
    ? id
    : `call_${hash("sha256", id, "hex").slice(0, HASH_CHARACTERS)}`;
}

function urlOf(source: MediaSource): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function writeDocument({ source, name }: DocumentPart): Item {
  switch (source.kind) {
    case "text":
      return {
        type: "input_text",
        text: name === null ? source.text : `${name}\n\n${source.text}`,
      };
    case "base64":
      // The name is not optional here.
      return { type: "input_file", filename: name ?? "document.pdf", file_data: urlOf(source) };
    case "url":
      return { type: "input_file", file_url: source.url };
  }
}

function writePart(part: UserPart): Item {
  switch (part.kind) {
    case "text":
      return { type: "input_text", text: part.text };
    case "image":
      return { type: "input_image", image_url: urlOf(part.source), detail: part.detail ?? "auto" };
    case "document":
      return writeDocument(part);
  }
}

function message(role: "user" | "developer", parts: readonly UserPart[]): Item[] {
  return parts.length === 0 ? [] : [{ type: "message", role, content: parts.map(writePart) }];
}

/**
 * A text alone is a plain text; beside pictures and files it is a list. That a call failed has no
 * member of its own here.
 */
function writeResult({ callId: id, parts, isError }: ToolResult): Item {
  const written = parts.map(writePart);
  const texts = written.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const plain = texts.length === written.length;
  const [first = ""] = texts;
  const failed = isError && !/^error/i.test(first);
  const output = plain
    ? `${failed ? "Error: " : ""}${texts.join("\n\n")}`.trimEnd()
    : [...(failed ? [{ type: "input_text", text: "Error:" }] : []), ...written];
  return { type: "function_call_output", call_id: callId(id), output };
}

/** Without a seal of an upstream of this protocol reasoning is left out: it keeps none itself. */
function writeReasoning(seal: string | null, text: string): Item[] {
  const opened = seal === null ? null : readResponsesSeal(seal);
  if (opened === null) return [];
  const { id, encrypted } = opened;
  return [
    {
      type: "reasoning",
      ...(id === "" ? {} : { id }),
      summary: text === "" ? [] : [{ type: "summary_text", text }],
      encrypted_content: encrypted,
    },
  ];
}

function assistantMessage(content: Item): Item {
  return { type: "message", role: "assistant", content: [content] };
}

function writeAssistantPart(part: AssistantPart): Item[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [assistantMessage({ type: "output_text", text: part.text })];
    case "refusal":
      return part.text === "" ? [] : [assistantMessage({ type: "refusal", refusal: part.text })];
    case "thinking":
      return writeReasoning(part.signature, part.text);
    case "redacted-thinking":
      return writeReasoning(part.data, "");
    case "tool-call":
      return [
        {
          type: "function_call",
          call_id: callId(part.id),
          name: part.name,
          // A model that wrote no arguments meant none.
          arguments: part.arguments === "" ? "{}" : part.arguments,
        },
      ];
  }
}

function isReasoning({ type }: Item): boolean {
  return type === "reasoning";
}

/** Reasoning that nothing follows is refused by the vendor: an answer was cut off after it. */
function withoutLooseReasoning(items: readonly Item[]): readonly Item[] {
  const last = items.findLastIndex((item) => !isReasoning(item));
  return items.slice(0, last + 1);
}

function writeTurn(turn: NeutralTurn, thinks: boolean): readonly Item[] {
  switch (turn.role) {
    case "user":
      return message("user", turn.parts);
    case "system":
      return message("developer", turn.parts);
    case "tool-results":
      return turn.results.map(writeResult);
    case "assistant": {
      const items = turn.parts.flatMap(writeAssistantPart);
      return thinks ? withoutLooseReasoning(items) : items.filter((item) => !isReasoning(item));
    }
  }
}

function textsOf(parts: readonly TextPart[]): string {
  return parts.map(({ text }) => text).join("\n\n");
}

/**
 * `thinks`: the model takes its earlier reasoning back. With instructions alone they are what the
 * model is asked: a request without input is refused.
 */
export function writeInput(
  { system, turns }: Pick<NeutralRequest, "system" | "turns">,
  thinks: boolean,
): Input {
  const input = turns.flatMap((turn) => writeTurn(turn, thinks));
  if (input.length === 0) return { instructions: null, input: message("developer", system) };
  return { instructions: system.length === 0 ? null : textsOf(system), input };
}

/** Writes the turns of a neutral request as chat messages. */
import type {
  AssistantPart,
  DocumentPart,
  MediaSource,
  NeutralRequest,
  NeutralTurn,
  ToolResult,
  UserPart,
} from "../neutral/neutral-request.ts";
import { writeCallSeal } from "./call-seal.ts";
import { refuseField } from "./refuse-field.ts";

type Message = Record<string, unknown>;
type WirePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url" | "file"; readonly [field: string]: unknown };

function urlOf(source: MediaSource): string {
  return source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;
}

function writeDocument({ source, name }: DocumentPart): WirePart {
  switch (source.kind) {
    case "text":
      return { type: "text", text: name === null ? source.text : `${name}\n\n${source.text}` };
    case "base64":
      // The name is not optional here.
      return { type: "file", file: { filename: name ?? "document.pdf", file_data: urlOf(source) } };
    case "url":
      throw refuseField(
        "messages",
        "holds a document by its address, which cannot be sent to this model: send the document itself",
      );
  }
}

function writePart(part: UserPart): WirePart {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return {
        type: "image_url",
        image_url: {
          url: urlOf(part.source),
          ...(part.detail === null ? {} : { detail: part.detail }),
        },
      };
    case "document":
      return writeDocument(part);
  }
}

function textsOf(parts: readonly WirePart[]): string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/**
 * Texts alone become one text: a good many upstreams of this protocol take a list only where there
 * is more than text in it.
 */
function writeContent(parts: readonly UserPart[]): string | WirePart[] {
  const written = parts.map(writePart);
  return written.every((part) => part.type === "text") ? textsOf(written).join("\n\n") : written;
}

/** Whether a tool's message can carry it; what it cannot carry follows in a message of the user. */
function isText(part: UserPart): boolean {
  return part.kind === "text" || (part.kind === "document" && part.source.kind === "text");
}

function writeToolResult({ callId, parts, isError }: ToolResult): Message {
  const text = textsOf(parts.filter(isText).map(writePart)).join("\n\n");
  const untranslated = parts.filter((part) => !isText(part)).map((part) => `(${part.kind})`);
  const content = text === "" ? untranslated.join(" ") : text;
  const failed = isError && !/^error/i.test(content);
  return {
    role: "tool",
    tool_call_id: callId,
    content: failed ? `Error: ${content}`.trimEnd() : content,
  };
}

/**
 * One message: text, refusal, reasoning and calls each have their own field, so their order among
 * each other is lost.
 */
function writeAssistant(parts: readonly AssistantPart[]): Message {
  let text = "";
  let refusal = "";
  const reasoning: string[] = [];
  const calls: object[] = [];
  for (const part of parts) {
    if (part.kind === "text") text += part.text;
    else if (part.kind === "refusal") refusal += part.text;
    else if (part.kind === "thinking") reasoning.push(part.text);
    else if (part.kind === "tool-call") {
      // A model that wrote no arguments meant none; templates that parse them fail on an empty
      // text.
      calls.push({
        id: part.id,
        type: "function",
        function: { name: part.name, arguments: part.arguments === "" ? "{}" : part.arguments },
        ...writeCallSeal(part.seal),
      });
    }
  }
  const thought = reasoning.filter((piece) => piece !== "").join("\n\n");
  return {
    role: "assistant",
    content: text === "" && (calls.length > 0 || refusal !== "") ? null : text,
    ...(refusal === "" ? {} : { refusal }),
    // Upstreams that think between calls refuse the next turn without it (hazards §35).
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/**
 * Pictures and files that tools gave are carried by the next message of the user, which is made
 * where there is none.
 */
export function writeMessages({
  system,
  turns,
}: Pick<NeutralRequest, "system" | "turns">): Message[] {
  const messages: Message[] = [];
  let carried: UserPart[] = [];

  function say(role: "system" | "user", parts: readonly UserPart[]): void {
    if (parts.length > 0) messages.push({ role, content: writeContent(parts) });
  }

  function sayCarried(before: readonly UserPart[] = []): void {
    say("user", [...carried, ...before]);
    carried = [];
  }

  function write(turn: NeutralTurn): void {
    switch (turn.role) {
      case "tool-results":
        for (const result of turn.results) {
          messages.push(writeToolResult(result));
          for (const part of result.parts) if (!isText(part)) carried.push(part);
        }
        return;
      case "user":
        return sayCarried(turn.parts);
      case "system":
        sayCarried();
        return say("system", turn.parts);
      case "assistant":
        sayCarried();
        if (turn.parts.length > 0) messages.push(writeAssistant(turn.parts));
    }
  }

  say("system", system);
  turns.forEach(write);
  sayCarried();
  return messages;
}

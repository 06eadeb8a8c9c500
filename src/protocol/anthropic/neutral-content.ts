/** Reads what the turns of a Messages request say. */
import type { AssistantPart, TextPart, ToolResult, UserPart } from "../neutral/neutral-request.ts";
import { expect, fieldPath, optional, required } from "./body-field.ts";
import {
  blocksOf,
  cacheOf,
  documentParts,
  imagePart,
  refuseBlock,
  searchResultPart,
  textParts,
  type Block,
} from "./neutral-media.ts";
import { readCallId } from "../sealed-call-id.ts";

/** A user's message holds the results of tools and the user's own words. */
export interface UserContent {
  readonly results: ToolResult[];
  readonly parts: UserPart[];
}

function userParts(block: Block): UserPart[] {
  switch (block.type) {
    case "text":
      return textParts(block);
    case "image":
      return [imagePart(block)];
    case "document":
      return documentParts(block);
    case "search_result":
      return [searchResultPart(block)];
    default:
      return refuseBlock(block);
  }
}

/** A tool that looks for tools answers with their names. */
function resultParts(block: Block): UserPart[] {
  if (block.type !== "tool_reference") return userParts(block);
  return [
    {
      kind: "text",
      text: required(block.fields, "tool_name", "string", block.path),
      cache: cacheOf(block),
    },
  ];
}

function toolResult(block: Block): ToolResult {
  const { fields, path } = block;
  const content = fields["content"] ?? "";
  return {
    callId: readCallId(required(fields, "tool_use_id", "string", path)).id,
    parts: blocksOf(content, fieldPath(path, "content")).flatMap(resultParts),
    isError: optional(fields, "is_error", "boolean", path) ?? false,
    cache: cacheOf(block),
  };
}

export function readUserContent(content: unknown, path: string): UserContent {
  const read: UserContent = { results: [], parts: [] };
  for (const block of blocksOf(content, path)) {
    if (block.type === "tool_result") read.results.push(toolResult(block));
    else for (const part of userParts(block)) read.parts.push(part);
  }
  return read;
}

/** The input of a call as JSON text. Some clients keep it as the text that the model wrote. */
function argumentsOf({ fields, path }: Block): string {
  const input = fields["input"] ?? {};
  return typeof input === "string"
    ? input
    : JSON.stringify(expect(input, "object", fieldPath(path, "input")));
}

function assistantParts(block: Block): AssistantPart[] {
  const { fields, path } = block;
  switch (block.type) {
    case "text":
      return textParts(block);
    case "thinking": {
      const text = required(fields, "thinking", "string", path);
      // Empty is what the protocol's shape makes of thinking that no upstream sealed.
      const signature = optional(fields, "signature", "string", path) || null;
      return text === "" && signature === null ? [] : [{ kind: "thinking", text, signature }];
    }
    case "redacted_thinking":
      return [{ kind: "redacted-thinking", data: required(fields, "data", "string", path) }];
    case "tool_use": {
      const { id, seal } = readCallId(required(fields, "id", "string", path));
      const name = required(fields, "name", "string", path);
      const call = {
        kind: "tool-call",
        id,
        name,
        arguments: argumentsOf(block),
        cache: cacheOf(block),
      } as const;
      return [seal === null ? call : { ...call, seal }];
    }
    default:
      return refuseBlock(block);
  }
}

export function readAssistantContent(content: unknown, path: string): AssistantPart[] {
  return blocksOf(content, path).flatMap(assistantParts);
}

/** Instructions are text only. */
export function readSystemContent(content: unknown, path: string): TextPart[] {
  return blocksOf(content, path).flatMap((block) =>
    block.type === "text" ? textParts(block) : refuseBlock(block),
  );
}

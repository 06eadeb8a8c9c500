/** Writes what turns say as blocks of a Messages request. */
import type {
  AssistantPart,
  CacheMark,
  TextPart,
  ToolResult,
  UserPart,
} from "../neutral/neutral-request.ts";
import { isResponsesSeal } from "../reasoning-seal.ts";
import { toolInput } from "./tool-input.ts";

export interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function cacheControl(cache: CacheMark | null): {
  cache_control?: { type: "ephemeral"; ttl: CacheMark["ttl"] };
} {
  return cache === null ? {} : { cache_control: { type: "ephemeral", ttl: cache.ttl } };
}

/** The vendor refuses a text that says nothing. */
export function textBlocks({ text, cache }: Pick<TextPart, "text" | "cache">): Block[] {
  return text.trim() === "" ? [] : [{ type: "text", text, ...cacheControl(cache) }];
}

function documentSource(
  source: Extract<UserPart, { kind: "document" }>["source"],
): Record<string, unknown> {
  switch (source.kind) {
    case "text":
      return { type: "text", media_type: "text/plain", data: source.text };
    case "base64":
      return { type: "base64", media_type: source.mediaType, data: source.data };
    case "url":
      return { type: "url", url: source.url };
  }
}

export function userBlocks(part: UserPart): Block[] {
  switch (part.kind) {
    case "text":
      return textBlocks(part);
    case "image": {
      const { source, cache } = part;
      const written =
        source.kind === "url"
          ? { type: "url", url: source.url }
          : { type: "base64", media_type: source.mediaType, data: source.data };
      return [{ type: "image", source: written, ...cacheControl(cache) }];
    }
    case "document": {
      const title = part.name === null ? {} : { title: part.name };
      return [
        {
          type: "document",
          source: documentSource(part.source),
          ...title,
          ...cacheControl(part.cache),
        },
      ];
    }
  }
}

/**
 * The vendor takes letters, digits, `_` and `-`; other models also write dots and colons. Call and
 * result are changed alike.
 */
function toolId(id: string): string {
  return id.replaceAll(/[^\w-]/gu, (sign) => `_${sign.codePointAt(0)?.toString(16) ?? ""}_`);
}

export function resultBlock({ callId, parts, isError, cache }: ToolResult): Block {
  const content = parts.flatMap(userBlocks);
  return {
    type: "tool_result",
    tool_use_id: toolId(callId),
    ...(content.length === 0 ? {} : { content }),
    ...(isError ? { is_error: true } : {}),
    ...cacheControl(cache),
  };
}

/**
 * Thinking without its seal, or with that of an upstream of another protocol, is left out: the
 * vendor refuses it, and a seal cannot be made up.
 */
export function assistantBlocks(part: AssistantPart): Block[] {
  switch (part.kind) {
    case "text":
      return textBlocks(part);
    case "refusal":
      return textBlocks({ text: part.text, cache: null });
    case "thinking":
      return part.signature === null || isResponsesSeal(part.signature)
        ? []
        : [{ type: "thinking", thinking: part.text, signature: part.signature }];
    case "redacted-thinking":
      return isResponsesSeal(part.data) ? [] : [{ type: "redacted_thinking", data: part.data }];
    case "tool-call":
      return [
        {
          type: "tool_use",
          id: toolId(part.id),
          name: part.name,
          input: toolInput(part.arguments),
          ...cacheControl(part.cache),
        },
      ];
  }
}

/**
 * What a message, whole or in the events of a stream, says that it used of what makes it dearer.
 */
import type { UsedRaises } from "../../kernel/price-raises.ts";
import { isRecord } from "../json/is-record.ts";
import { UsedSoFar } from "../raises/read-used.ts";

/**
 * A call of one of the vendor's tools, as the block of it begins. A count in the usage takes the
 * place of what was seen.
 */
function noteBlock(block: unknown, used: UsedSoFar): void {
  if (isRecord(block) && block["type"] === "server_tool_use" && typeof block["name"] === "string")
    used.called(block["name"]);
}

/** What one event of a stream says. */
export function noteUsed(data: Record<string, unknown>, used: UsedSoFar): void {
  switch (data["type"]) {
    case "message_start":
      if (isRecord(data["message"])) used.usage(data["message"]["usage"], true);
      return;
    case "content_block_start":
      return noteBlock(data["content_block"], used);
    case "message_delta":
      return used.usage(data["usage"]);
  }
}

export function usedOfMessage(data: Record<string, unknown>): UsedRaises {
  const used = new UsedSoFar();
  if (Array.isArray(data["content"])) for (const block of data["content"]) noteBlock(block, used);
  used.usage(data["usage"]);
  return used.used;
}

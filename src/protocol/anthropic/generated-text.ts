/** What a content block, or a piece of one, holds of generated text, whichever field carries it. */
import { isRecord } from "../json/is-record.ts";

/**
 * The name of a tool, and its arguments where they are there already (at the start of a stream's
 * block they are an empty object).
 */
function callText(block: Record<string, unknown>): string {
  const name = typeof block["name"] === "string" ? block["name"] : "";
  const { input } = block;
  const empty =
    input === undefined || input === null || (isRecord(input) && Object.keys(input).length === 0);
  return empty ? name : name + JSON.stringify(input);
}

/**
 * Calls of the caller's tools, the vendor's and those of MCP servers: `tool_use`,
 * `server_tool_use`, `mcp_tool_use`.
 */
export function isCall(type: unknown): boolean {
  return typeof type === "string" && type.endsWith("tool_use");
}

/**
 * All generated text of a block, whole or at its start. What a server tool found is no text of the
 * model, sealed thinking shows none.
 */
export function blockText(block: Record<string, unknown>): string {
  const { type } = block;
  if (isCall(type)) return callText(block);
  const text =
    type === "thinking"
      ? block["thinking"]
      : type === "compaction"
        ? block["content"]
        : block["text"];
  return typeof text === "string" ? text : "";
}

/**
 * Whether anything is in a block beyond what `blockText` shows: sealed thinking, a tool's result, a
 * kind that is not known here.
 */
export function hasSilentBlock(block: Record<string, unknown>): boolean {
  const { type } = block;
  return type !== "text" && type !== "thinking" && type !== "compaction";
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * All generated text of one `delta` of a block: text, thinking, tool arguments, the summary of a
 * compaction.
 */
export function deltaText(delta: Record<string, unknown>): string {
  const { text, thinking, partial_json: json, content } = delta;
  return stringOf(text) + stringOf(thinking) + stringOf(json) + stringOf(content);
}

/**
 * Whether a delta carries anything beyond what `deltaText` shows. A signature seals what was there
 * before.
 */
export function hasSilentDelta(delta: Record<string, unknown>): boolean {
  return delta["type"] === "citations_delta";
}

/**
 * The input of a tool's call: an object in this protocol, where others carry whatever text the
 * model wrote.
 */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { isRecord } from "../json/is-record.ts";
import { scanObject } from "../json/scan-object.ts";

const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };

/** Null for what is no JSON object, or one beyond the bounds of depth and size. */
function parseObject(text: string): Record<string, unknown> | null {
  const scan = scanObject(Buffer.from(text), [], BOUNDS);
  if (scan === null || scan.depth > BOUNDS.maxDepth || scan.values > BOUNDS.maxValues) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * No arguments (nothing, white space, null) are an empty object. What is no object (cut off,
 * broken, a list) is carried as the text that it is: `{"arguments": text}`. Refusing it would end
 * the conversation, since a client that kept such a call sends it with every turn; the model sees
 * what it wrote, and the tool's answer to it.
 */
export function toolInput(text: string): Record<string, unknown> {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null") return {};
  return parseObject(trimmed) ?? { arguments: text };
}

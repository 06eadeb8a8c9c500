/**
 * Changes the few values of a chat request that the gateway must change, and no other byte of it.
 */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import type { ChatRequest, ChatRequestEdit } from "../chat-request.ts";
import type { JsonObject } from "../json/read-json-object.ts";
import { scanObject } from "../json/scan-object.ts";
import { insertMember, setMember } from "../json/set-members.ts";
import { spliceBytes, type Splice } from "../json/splice-bytes.ts";

const OPEN_BRACE = 0x7b;
const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };
const INCLUDE_USAGE = ["include_usage"];

/**
 * Makes the object that begins at `from` say `include_usage: true`, wherever and however often it
 * says it.
 */
function includeUsageIn(bytes: Buffer, from: number, splices: Splice[]): void {
  const scan = scanObject(bytes, INCLUDE_USAGE, BOUNDS, from);
  if (scan === null) return;
  let included = false;
  for (const { key, start, end } of scan.members) {
    if (key !== "include_usage") continue;
    included = true;
    if (bytes.toString("latin1", start, end) !== "true") splices.push({ start, end, text: "true" });
  }
  if (!included) splices.push(insertMember(scan.close, scan.empty, "include_usage", "true"));
}

/** Makes the body of a request for a stream ask for its usage; `stream_options` is guarded. */
export function withUsageOption(object: JsonObject): Splice[] {
  const splices: Splice[] = [];
  const options = object.members.find(({ key }) => key === "stream_options");
  if (options !== undefined && object.bytes[options.start] === OPEN_BRACE)
    includeUsageIn(object.bytes, options.start, splices);
  else splices.push(setMember(object, "stream_options", '{"include_usage":true}'));
  return splices;
}

/**
 * `object` is the body of the request, with model, stream and stream_options among its guarded
 * members. It is not parsed for this.
 */
export function rewriteChatRequest(
  object: JsonObject,
  request: ChatRequest,
  edit: ChatRequestEdit,
): Buffer {
  const { bytes } = object;
  const splices: Splice[] = [];
  if (request.model !== edit.model)
    splices.push(setMember(object, "model", JSON.stringify(edit.model)));
  if (edit.stream !== undefined && edit.stream !== request.stream)
    splices.push(setMember(object, "stream", String(edit.stream)));
  if (edit.includeUsage === "never") {
    if (object.members.some(({ key }) => key === "stream_options"))
      splices.push(setMember(object, "stream_options", "null"));
  } else if (edit.includeUsage) splices.push(...withUsageOption(object));
  return splices.length === 0 ? bytes : spliceBytes(bytes, splices);
}

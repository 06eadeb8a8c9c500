/** Changes the few values of a chat request that the gateway must change, and no other byte of it. */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import type { ChatRequestEdit } from "../chat-request.ts";
import { isRecord } from "../json/is-record.ts";
import type { JsonObject } from "../json/read-json-object.ts";
import { scanObject } from "../json/scan-object.ts";
import { insertMember, setMember } from "../json/set-members.ts";
import { spliceBytes, type Splice } from "../json/splice-bytes.ts";

/** Makes the object that begins at `start` say `include_usage: true`, wherever and however often it says it. */
function includeUsageIn(bytes: Buffer, start: number): Splice[] {
  const bounds = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };
  const scan = scanObject(bytes, (key) => key === "include_usage", bounds, start);
  if (scan === null) return [];
  if (scan.members.length === 0) return [insertMember(scan.close, scan.empty, "include_usage", "true")];
  return scan.members
    .filter((member) => bytes.toString("utf8", member.start, member.end) !== "true")
    .map((member) => ({ start: member.start, end: member.end, text: "true" }));
}

/** `object` is what readJsonObject made of `bytes`, with model, stream and stream_options among its guarded members. */
export function rewriteChatRequest(bytes: Buffer, object: JsonObject, edit: ChatRequestEdit): Buffer {
  const { value, members } = object;
  const splices: Splice[] = [];

  function set(name: string, json: string): void {
    splices.push(setMember(object, name, json));
  }

  if (value["model"] !== edit.model) set("model", JSON.stringify(edit.model));
  if (edit.stream !== undefined && edit.stream !== (value["stream"] === true)) set("stream", String(edit.stream));
  if (edit.includeUsage) {
    const member = members.get("stream_options");
    if (isRecord(value["stream_options"]) && member !== undefined) splices.push(...includeUsageIn(bytes, member.start));
    else set("stream_options", '{"include_usage":true}');
  }
  return splices.length === 0 ? bytes : spliceBytes(bytes, splices);
}

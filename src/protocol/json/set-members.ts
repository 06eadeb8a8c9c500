/** Sets members of a JSON object in its bytes, leaving every other byte as it is. */
import type { JsonObject } from "./read-json-object.ts";
import type { Splice } from "./splice-bytes.ts";

/** Inserts a member before the closing brace at `close`. */
export function insertMember(close: number, first: boolean, name: string, json: string): Splice {
  return { start: close, end: close, text: `${first ? "" : ","}${JSON.stringify(name)}:${json}` };
}

/**
 * Gives a guarded member of the object this value, or adds it. Of several additions only the first
 * may come to an empty object.
 */
export function setMember(
  object: Pick<JsonObject, "members" | "close" | "empty">,
  name: string,
  json: string,
): Splice {
  const member = object.members.find(({ key }) => key === name);
  return member === undefined
    ? insertMember(object.close, object.empty, name, json)
    : { start: member.start, end: member.end, text: json };
}

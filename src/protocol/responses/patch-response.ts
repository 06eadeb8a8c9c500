/**
 * Gives the response in an event, or a whole one, the few members that are the gateway's own, and
 * changes no other byte of it.
 */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { scanObject } from "../json/scan-object.ts";
import { setMember } from "../json/set-members.ts";
import { spliceBytes } from "../json/splice-bytes.ts";

const OPEN_BRACE = 0x7b;
const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };
const RESPONSE = ["response"];

/** By name: the JSON text of the member. */
export type ResponseMembers = Readonly<Record<string, string>>;

/** Null where there is no whole object at this place. */
function patchAt(bytes: Buffer, start: number, members: ResponseMembers): Buffer | null {
  const names = Object.keys(members);
  const scan = scanObject(bytes, names, BOUNDS, start);
  if (scan === null) return null;
  return spliceBytes(
    bytes,
    names.map((name) => setMember(scan, name, members[name] ?? "null")),
  );
}

/** Bytes in which there is no whole response come back as they are. */
export function patchResponse(body: Buffer, members: ResponseMembers): Buffer {
  const open = body.indexOf(OPEN_BRACE);
  return (open < 0 ? null : patchAt(body, open, members)) ?? body;
}

/** Of an event that has a `response`; null where it is spread over several lines. */
export function patchEvent(event: Buffer, members: ResponseMembers): Buffer | null {
  const open = event.indexOf(OPEN_BRACE);
  const found = (open < 0 ? null : scanObject(event, RESPONSE, BOUNDS, open))?.members.find(
    ({ key }) => key === "response",
  );
  return found === undefined ? null : patchAt(event, found.start, members);
}

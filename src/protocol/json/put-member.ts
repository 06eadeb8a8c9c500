/**
 * Gives the first JSON object in some bytes a member, in place of its own of that name or after the
 * others, and changes no other byte.
 */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { scanObject } from "./scan-object.ts";
import { setMember } from "./set-members.ts";
import { spliceBytes } from "./splice-bytes.ts";

const OPEN_BRACE = 0x7b;
const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };

/** Bytes in which there is no whole object come back as they are. */
export function putMember(bytes: Buffer, name: string, json: string): Buffer {
  const open = bytes.indexOf(OPEN_BRACE);
  const scan = open < 0 ? null : scanObject(bytes, [name], BOUNDS, open);
  if (scan === null) return bytes;
  // Of two members of one name JSON.parse takes the last.
  const members = scan.members.filter(({ key }) => key === name).slice(-1);
  return spliceBytes(bytes, [setMember({ ...scan, members }, name, json)]);
}

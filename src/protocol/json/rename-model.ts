/**
 * Gives an answer, whole or an event of a stream, another model's name, and changes no other byte
 * of it.
 */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { scanObject, type Member } from "./scan-object.ts";
import { spliceBytes } from "./splice-bytes.ts";

const OPEN_BRACE = 0x7b;
const MODEL = ["model"];
const isModel = ({ key }: Member): boolean => key === "model";
const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };

/**
 * Replaces the value of `model` in the first JSON object of `bytes`, or of the object that is
 * `within` it. Bytes in which there is none, or whose JSON is spread over several lines of an
 * event, come back as they are.
 */
export function renameModel(bytes: Buffer, model: string, within: string | null = null): Buffer {
  const open = bytes.indexOf(OPEN_BRACE);
  if (open < 0) return bytes;
  let start = open;
  if (within !== null) {
    const inner = scanObject(bytes, [within], BOUNDS, open)?.members.find(
      (member) => member.key === within,
    );
    if (inner === undefined || bytes[inner.start] !== OPEN_BRACE) return bytes;
    start = inner.start;
  }
  const found = scanObject(bytes, MODEL, BOUNDS, start)?.members ?? [];
  const members = found.every(isModel) ? found : found.filter(isModel);
  if (members.length === 0) return bytes;
  const text = JSON.stringify(model);
  return spliceBytes(
    bytes,
    members.map((member) => ({ start: member.start, end: member.end, text })),
  );
}

/** Reads untrusted bytes as one JSON object: strict UTF-8, bounded nesting and size, no member that readers could understand differently. */
import { isUtf8 } from "node:buffer";
import { Fault } from "../../kernel/faults.ts";
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { isRecord } from "./is-record.ts";
import { scanObject, type Member, type StringRange } from "./scan-object.ts";

export interface JsonObject {
  /**
   * Made by JSON.parse: a member named `__proto__` is an own property and changes nothing. Image data URLs of more than 8 kB are cut
   * down to their beginning: they are most of a large body, and parsing them would be most of the work.
   */
  readonly value: Record<string, unknown>;
  /** Some image in `value` was cut. What begins like one may be a text: where texts are counted, count those of `whole()` then. */
  readonly cut: boolean;
  /** The value with its images; parsed anew where some were cut. Throws a Fault where such an image is no JSON string. */
  whole(): Record<string, unknown>;
  /** Where the guarded members lie in the bytes; each at most once. */
  readonly members: ReadonlyMap<string, Member>;
  /** Where new members go, and whether they need a comma before them. */
  readonly close: number;
  readonly empty: boolean;
}

export type JsonObjectReading = { readonly ok: true; readonly object: JsonObject } | { readonly ok: false; readonly fault: Fault };

function refuse(message: string, param?: string): JsonObjectReading {
  return { ok: false, fault: new Fault("invalid_request", { message, ...(param === undefined ? {} : { param }) }) };
}

/** Some JSON readers (Go's) take `Model`, `MODEL` and even `ſtream` for the field in lower case. */
export function foldKey(key: string): string {
  return key.toUpperCase().toLowerCase();
}

/** V8 names the place, and quotes the text around it; only the place is passed on. */
function whereItBreaks(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? "" : ` It breaks at character ${position}.`;
}

const IMAGE_START = Buffer.from('"data:image/');
/** What stays of an image: its type and a little of its data. */
const IMAGE_KEPT_BYTES = 64;

/** The JSON text without the greater part of its images; all of it where there are none. */
function withoutImages(bytes: Buffer, longStrings: readonly StringRange[]): { readonly text: string; readonly cut: boolean } {
  let text = "";
  let position = 0;
  for (const { start, end } of longStrings) {
    if (bytes.compare(IMAGE_START, 0, IMAGE_START.length, start, start + IMAGE_START.length) !== 0) continue;
    const kept = bytes.toString("utf8", position, start + IMAGE_KEPT_BYTES);
    // Cut inside an escape or a character, the rest would not parse: then the image is left as it is.
    if (/[\\\uFFFD]/.test(kept.slice(-IMAGE_KEPT_BYTES))) continue;
    text += `${kept}"`;
    position = end;
  }
  return { text: text + bytes.toString("utf8", position), cut: position > 0 };
}

function parseWhole(bytes: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (isRecord(value)) return value;
  } catch (error) {
    throw new Fault("invalid_request", { message: `The body is not valid JSON.${whereItBreaks(error)}`, cause: error });
  }
  throw new Fault("invalid_request", { message: "The body must be a JSON object." });
}

/**
 * `guarded` are the members that the gateway itself reads. Each may come once, and only under its exact name: with two of them, or with
 * another spelling, the upstream could read another value than the one that was checked and priced.
 */
export function readJsonObject(bytes: Buffer, guarded: ReadonlySet<string>): JsonObjectReading {
  if (bytes.length === 0) return refuse("The body is empty. Send a JSON object.");
  if (!isUtf8(bytes)) return refuse("The body is not valid UTF-8.");
  const scan = scanObject(bytes, (key) => guarded.has(foldKey(key)), { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT });
  if (scan !== null && scan.depth > JSON_DEPTH_LIMIT) return refuse(`The body is nested more than ${JSON_DEPTH_LIMIT} levels deep.`);
  if (scan !== null && scan.values > JSON_VALUE_LIMIT) return refuse(`The body holds more than ${JSON_VALUE_LIMIT} values.`);
  // The scan has not counted what is in a large body that is not an object, so it is not parsed only to say what is wrong with it.
  if (scan === null && bytes.length > JSON_VALUE_LIMIT) return refuse("The body is not a complete JSON object.");
  const { text, cut } = withoutImages(bytes, scan?.longStrings ?? []);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Where images were cut the place would be wrong.
    return refuse(`The body is not valid JSON.${cut ? "" : whereItBreaks(error)}`);
  }
  if (scan === null || !isRecord(value)) return refuse("The body must be a JSON object.");
  const members = new Map<string, Member>();
  for (const member of scan.members) {
    if (!guarded.has(member.key)) {
      return refuse(`'${member.key}' is not a field. Field names are in lower case: send '${foldKey(member.key)}'.`, member.key);
    }
    if (members.has(member.key)) return refuse(`'${member.key}' is given more than once. Send it once.`, member.key);
    members.set(member.key, member);
  }
  const object = value;
  const whole = (): Record<string, unknown> => (cut ? parseWhole(bytes) : object);
  return { ok: true, object: { value: object, cut, whole, members, close: scan.close, empty: scan.empty } };
}

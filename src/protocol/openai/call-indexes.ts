/**
 * Gives tool calls in a stream the indexes that the protocol demands, where their upstream gives
 * none or one to two of them.
 */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { isRecord } from "../json/is-record.ts";
import { scanObject, type ObjectScan } from "../json/scan-object.ts";
import { setMember } from "../json/set-members.ts";
import { spliceBytes, type Splice } from "../json/splice-bytes.ts";
import { createCallFinder, type CallFinder, type KnownCall } from "./find-call.ts";
import { argumentsText } from "./generated-text.ts";

/** A call of a stream: `index` is what it was first given, or the first that is free. */
interface IndexedCall extends KnownCall {
  index: number | null;
  begun: boolean;
}

export interface CallIndexes {
  /**
   * The bytes of an event with this payload, whose calls have indexes of their own; the same bytes
   * where they have them already.
   */
  amend(bytes: Buffer, payload: Record<string, unknown>): Buffer;
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
const SPACE = 0x20;
const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };
const NAMES = ["choices", "delta", "tool_calls", "index"];

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The object that begins here; null where there is none. */
function objectAt(bytes: Buffer, from: number): ObjectScan | null {
  return bytes[from] === OPEN_BRACE ? scanObject(bytes, NAMES, BOUNDS, from) : null;
}

/**
 * Where the value of this member begins; -1 where there is none. Of two of one name JSON.parse
 * takes the last.
 */
function memberStart(object: ObjectScan | null | undefined, name: string): number {
  return object?.members.findLast(({ key }) => key === name)?.start ?? -1;
}

/** The objects of the list that begins here, up to the first element that is none. */
function objectsAt(bytes: Buffer, from: number): ObjectScan[] {
  const objects: ObjectScan[] = [];
  if (bytes[from] !== OPEN_BRACKET) return objects;
  for (let at = from + 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte <= SPACE || byte === COMMA) continue;
    const object = objectAt(bytes, at);
    if (object === null) break;
    objects.push(object);
    at = object.close;
  }
  return objects;
}

/**
 * A delta of a call that needs another index, by its place among the choices and among the calls
 * there.
 */
interface Amendment {
  readonly choice: number;
  readonly call: number;
  readonly index: number;
}

/** Nothing is changed of an event whose calls cannot be found in its bytes. */
function withIndexes(bytes: Buffer, amendments: readonly Amendment[]): Buffer {
  const choices = objectsAt(
    bytes,
    memberStart(objectAt(bytes, bytes.indexOf(OPEN_BRACE)), "choices"),
  );
  const splices = amendments.flatMap(({ choice, call, index }): Splice[] => {
    const delta = objectAt(bytes, memberStart(choices[choice], "delta"));
    const object = objectsAt(bytes, memberStart(delta, "tool_calls"))[call];
    return object === undefined ? [] : [setMember(object, "index", String(index))];
  });
  return splices.length === 0 ? bytes : spliceBytes(bytes, splices);
}

function newFinder(): CallFinder<IndexedCall> {
  return createCallFinder<IndexedCall>(() => ({ id: "", index: null, begun: false }));
}

/** The index that the call of this delta has in the caller's stream; null for one call too many. */
function indexOf(
  delta: Record<string, unknown>,
  position: number,
  count: number,
  { find, calls }: CallFinder<IndexedCall>,
): number | null {
  const { index, function: called, custom } = delta;
  const body = isRecord(called) ? called : isRecord(custom) ? custom : {};
  const id = textOf(delta["id"]);
  const call = find({ index, id, name: textOf(body["name"]), position, count });
  if (call === null) return null;
  if (call.id === "") call.id = id;
  call.begun ||= argumentsText(body["arguments"] ?? body["input"]) !== "";
  if (call.index === null) {
    let free = typeof index === "number" ? index : 0;
    while (calls.some((other) => other.index === free)) free += 1;
    call.index = free;
  }
  return call.index;
}

/** For one stream. */
export function createCallIndexes(): CallIndexes {
  const finders = new Map<number, CallFinder<IndexedCall>>();

  return {
    amend(bytes, payload) {
      const amendments: Amendment[] = [];
      for (const [position, choice] of listOf(payload["choices"]).entries()) {
        const list =
          isRecord(choice) && isRecord(choice["delta"])
            ? listOf(choice["delta"]["tool_calls"])
            : [];
        if (!isRecord(choice) || list.length === 0) continue;
        const number = typeof choice["index"] === "number" ? choice["index"] : position;
        const finder = finders.get(number) ?? newFinder();
        finders.set(number, finder);
        for (const [place, delta] of list.entries()) {
          const index = isRecord(delta) ? indexOf(delta, place, list.length, finder) : null;
          if (isRecord(delta) && index !== null && delta["index"] !== index)
            amendments.push({ choice: position, call: place, index });
        }
      }
      return amendments.length === 0 ? bytes : withIndexes(bytes, amendments);
    },
  };
}

/**
 * Gives the events of one stream another model's name: where it stands is found once, and known
 * again while events begin or end as before.
 */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { renameModel } from "./rename-model.ts";
import { scanObject } from "./scan-object.ts";

const OPEN_BRACE = 0x7b;
const COMMA = 0x2c;
const KEY = Buffer.from('"model":');
const MODEL = ["model"];
const BOUNDS = { maxDepth: JSON_DEPTH_LIMIT, maxValues: JSON_VALUE_LIMIT };
const EMPTY = Buffer.alloc(0);

/**
 * Bytes that are the same up to the end of the name have it at the same place. So have, from their
 * end, those that are the same from the comma before its key on: an object that is whole has that
 * comma between the same members.
 */
export class ModelRenamer {
  readonly #model: string;
  readonly #literal: Buffer;
  /**
   * Of the event that was looked through last: up to the end of the name, and from the comma before
   * it; empty where there is none.
   */
  #head = EMPTY;
  #tail = EMPTY;
  /** The name that stands there is the new one. */
  #isSame = false;
  /** What takes their place. */
  #newHead = EMPTY;
  #newTail = EMPTY;

  constructor(model: string) {
    this.#model = model;
    this.#literal = Buffer.from(JSON.stringify(model));
  }

  /**
   * Of an event that holds one whole object. Where that names no model, its bytes come back as they
   * are.
   */
  rename(bytes: Buffer): Buffer {
    if (this.#head.length > 0 && beginsWith(bytes, this.#head)) return this.#withNewHead(bytes);
    const tail = this.#tail;
    const tailStart = bytes.length - tail.length;
    if (tail.length > 0 && tailStart > 0 && endsWith(bytes, tail))
      return this.#isSame
        ? bytes
        : joined(bytes, this.#newTail, 0, this.#newTail.length, tailStart);
    this.#learn(bytes);
    return this.#head.length > 0 ? this.#withNewHead(bytes) : renameModel(bytes, this.#model);
  }

  #withNewHead(bytes: Buffer): Buffer {
    return this.#isSame ? bytes : joined(this.#newHead, bytes, this.#head.length, bytes.length);
  }

  #learn(bytes: Buffer): void {
    this.#head = EMPTY;
    this.#tail = EMPTY;
    const open = bytes.indexOf(OPEN_BRACE);
    const members =
      (open < 0 ? null : scanObject(bytes, MODEL, BOUNDS, open))?.members.filter(
        ({ key }) => key === "model",
      ) ?? [];
    const [member] = members;
    if (member === undefined || members.length > 1) return;
    this.#isSame = bytes.subarray(member.start, member.end).equals(this.#literal);
    // Copies: the event may lie in a piece that is much larger.
    this.#head = Buffer.from(bytes.subarray(0, member.end));
    this.#newHead = Buffer.concat([bytes.subarray(0, member.start), this.#literal]);
    const keyStart = member.start - KEY.length;
    if (bytes[keyStart - 1] !== COMMA || !bytes.subarray(keyStart, member.start).equals(KEY))
      return;
    this.#tail = Buffer.from(bytes.subarray(keyStart - 1));
    this.#newTail = Buffer.concat([
      bytes.subarray(keyStart - 1, member.start),
      this.#literal,
      bytes.subarray(member.end),
    ]);
  }
}

function beginsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.length > head.length && head.compare(bytes, 0, head.length) === 0;
}

function endsWith(bytes: Buffer, tail: Buffer): boolean {
  return tail.compare(bytes, bytes.length - tail.length) === 0;
}

/**
 * The first bytes of `first` (all of them where not told), then those of `second` from `start` to
 * `end`.
 */
function joined(
  first: Buffer,
  second: Buffer,
  start: number,
  end: number,
  firstLength = first.length,
): Buffer {
  const result = Buffer.allocUnsafe(firstLength + end - start);
  first.copy(result, 0, 0, firstLength);
  second.copy(result, firstLength, start, end);
  return result;
}

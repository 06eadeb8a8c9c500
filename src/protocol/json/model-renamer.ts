/**
 * Gives the events of one stream another model's name: where it stands is found once, and known
 * again while events begin or end as before.
 */
import { JSON_DEPTH_LIMIT, JSON_VALUE_LIMIT } from "../../kernel/limits.ts";
import { ownCopy } from "../../kernel/own-copy.ts";
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
  readonly #literal: string;
  /** The event that was looked through last. */
  #event = EMPTY;
  /** Where in it the name stands; 0: it has none. */
  #start = 0;
  #end = 0;
  /** Where in it the comma before the name's key stands; 0: there is none. */
  #comma = 0;
  /** The name that stands there is the new one. */
  #isSame = false;

  constructor(model: string) {
    this.#model = model;
    this.#literal = JSON.stringify(model);
  }

  /**
   * Of an event that holds one whole object. Where that names no model, its bytes come back as they
   * are.
   */
  rename(bytes: Buffer): Buffer {
    if (this.#beginsAsBefore(bytes)) return this.#renamed(bytes, 0);
    if (this.#endsAsBefore(bytes)) return this.#renamed(bytes, bytes.length - this.#event.length);
    this.#learn(bytes);
    return this.#end > 0 ? this.#renamed(bytes, 0) : renameModel(bytes, this.#model);
  }

  #beginsAsBefore(bytes: Buffer): boolean {
    const end = this.#end;
    return end > 0 && bytes.length > end && this.#event.compare(bytes, 0, end, 0, end) === 0;
  }

  #endsAsBefore(bytes: Buffer): boolean {
    const comma = this.#comma;
    const start = bytes.length - this.#event.length + comma;
    return comma > 0 && start > 0 && this.#event.compare(bytes, start, bytes.length, comma) === 0;
  }

  /** Its name stands so many bytes further back than that of the event before. */
  #renamed(bytes: Buffer, by: number): Buffer {
    if (this.#isSame) return bytes;
    const start = this.#start + by;
    const end = this.#end + by;
    const literalBytes = Buffer.byteLength(this.#literal);
    const result = Buffer.allocUnsafe(start + literalBytes + bytes.length - end);
    bytes.copy(result, 0, 0, start);
    result.write(this.#literal, start);
    bytes.copy(result, start + literalBytes, end);
    return result;
  }

  #learn(bytes: Buffer): void {
    this.#event = EMPTY;
    this.#end = 0;
    this.#comma = 0;
    const open = bytes.indexOf(OPEN_BRACE);
    const members =
      (open < 0 ? null : scanObject(bytes, MODEL, BOUNDS, open))?.members.filter(
        ({ key }) => key === "model",
      ) ?? [];
    const [member] = members;
    if (member === undefined || members.length > 1) return;
    const { start, end } = member;
    this.#event = ownCopy(bytes);
    this.#start = start;
    this.#end = end;
    this.#isSame = bytes.toString("utf8", start, end) === this.#literal;
    const keyStart = start - KEY.length;
    if (bytes[keyStart - 1] === COMMA && bytes.subarray(keyStart, start).equals(KEY))
      this.#comma = keyStart - 1;
  }
}

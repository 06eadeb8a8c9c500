/**
 * Things found by their UUIDs that come and go at the rate of requests. Not a Map, for the reason of
 * slot-list.ts: buckets by the random end of the UUID, which stay as they are, and each thing knows
 * the next one of its bucket.
 */
import type { Uuid } from "./ids.ts";

const HEX_DIGIT_BITS = 4;
const BUCKET_DIGITS = 3;

/** Something that can be in one table. */
export interface Tabled<T> {
  /** Of the same bucket; the table's own, null outside. */
  next: T | null;
}

export class UuidTable<T extends Tabled<T>> {
  size = 0;
  readonly #idOf: (item: T) => Uuid;
  readonly #buckets: (T | null)[];

  constructor(idOf: (item: T) => Uuid) {
    this.#idOf = idOf;
    this.#buckets = Array.from({ length: 1 << (HEX_DIGIT_BITS * BUCKET_DIGITS) }, () => null);
  }

  get(id: Uuid): T | undefined {
    for (let item = this.#buckets[bucketOf(id)] ?? null; item !== null; item = item.next)
      if (this.#idOf(item) === id) return item;
    return undefined;
  }

  /** In place of one with the same id. */
  set(item: T): void {
    const id = this.#idOf(item);
    this.delete(id);
    const bucket = bucketOf(id);
    item.next = this.#buckets[bucket] ?? null;
    this.#buckets[bucket] = item;
    this.size += 1;
  }

  /** Returns what was taken out. */
  delete(id: Uuid): T | undefined {
    const bucket = bucketOf(id);
    let before: T | null = null;
    for (let item = this.#buckets[bucket] ?? null; item !== null; item = item.next) {
      if (this.#idOf(item) === id) {
        if (before === null) this.#buckets[bucket] = item.next;
        else before.next = item.next;
        item.next = null;
        this.size -= 1;
        return item;
      }
      before = item;
    }
    return undefined;
  }

  /** Those that are in it now, in no order. */
  values(): readonly T[] {
    const items: T[] = [];
    if (this.size === 0) return items;
    for (const first of this.#buckets)
      for (let item = first; item !== null; item = item.next) items.push(item);
    return items;
  }

  clear(): void {
    for (const item of this.values()) item.next = null;
    this.#buckets.fill(null);
    this.size = 0;
  }
}

function bucketOf(id: Uuid): number {
  let index = 0;
  for (let at = id.length - BUCKET_DIGITS; at < id.length; at++)
    index = (index << HEX_DIGIT_BITS) | hexDigit(id.charCodeAt(at));
  return index;
}

/** Of 0 to 9 and of letters, in either case; for anything else some number below 16. */
function hexDigit(code: number): number {
  return ((code & 0xf) + (code >> 6) * 9) & 0xf;
}

/**
 * Things found by their UUIDs that come and go at the rate of requests. Not a Map, for the reason of
 * slot-list.ts: buckets by the random end of the UUID, which stay as they are.
 */
import type { Uuid } from "./ids.ts";

const HEX_DIGIT_BITS = 4;
const BUCKET_DIGITS = 3;

export class UuidTable<T> {
  size = 0;
  readonly #idOf: (item: T) => Uuid;
  readonly #buckets: T[][];

  constructor(idOf: (item: T) => Uuid) {
    this.#idOf = idOf;
    this.#buckets = Array.from({ length: 1 << (HEX_DIGIT_BITS * BUCKET_DIGITS) }, () => []);
  }

  get(id: Uuid): T | undefined {
    const bucket = this.#bucketOf(id);
    for (const item of bucket) if (this.#idOf(item) === id) return item;
    return undefined;
  }

  /** In place of one with the same id. */
  set(item: T): void {
    this.delete(this.#idOf(item));
    this.#bucketOf(this.#idOf(item)).push(item);
    this.size += 1;
  }

  delete(id: Uuid): void {
    const bucket = this.#bucketOf(id);
    for (let at = 0; at < bucket.length; at++) {
      if (this.#idOf(bucket[at] as T) !== id) continue;
      const last = bucket.pop();
      if (at < bucket.length) bucket[at] = last as T;
      this.size -= 1;
      return;
    }
  }

  /** Those that are in it now, in no order. */
  values(): readonly T[] {
    return this.size === 0 ? [] : this.#buckets.flat();
  }

  clear(): void {
    for (const bucket of this.#buckets) bucket.length = 0;
    this.size = 0;
  }

  #bucketOf(id: Uuid): T[] {
    let index = 0;
    for (let at = id.length - BUCKET_DIGITS; at < id.length; at++)
      index = (index << HEX_DIGIT_BITS) | hexDigit(id.charCodeAt(at));
    return this.#buckets[index] as T[];
  }
}

/** Of 0 to 9 and of letters, in either case; for anything else some number below 16. */
function hexDigit(code: number): number {
  return ((code & 0xf) + (code >> 6) * 9) & 0xf;
}

/**
 * The text of a running answer, put together from thousands of small pieces outside of V8's heap: as
 * strings, the pieces of all running answers would be copied by each collection of young objects.
 */

/** What a text is looked at through, unit by unit of UTF-16. */
export interface TextUnits {
  readonly length: number;
  charCodeAt(at: number): number;
}

const FIRST_UNITS = 512;
/** Shorter pieces are copied unit by unit: the native copy pays off only beyond. */
const NATIVE_COPY_UNITS = 256;

/** Halves of a character that come in two pieces are kept as they came. */
export class GrowingText implements TextUnits {
  length = 0;
  #units = new Uint16Array(0);
  /** The same memory; little-endian, as are all our platforms. */
  #bytes = Buffer.alloc(0);

  append(piece: string): void {
    const start = this.length;
    const end = start + piece.length;
    if (end > this.#units.length) this.#makeRoom(end);
    if (piece.length > NATIVE_COPY_UNITS) this.#bytes.write(piece, start * 2, "utf16le");
    else {
      const units = this.#units;
      for (let i = 0; i < piece.length; i++) units[start + i] = piece.charCodeAt(i);
    }
    this.length = end;
  }

  /** NaN beyond the end, as of a string. */
  charCodeAt(at: number): number {
    return at < this.length ? (this.#units[at] ?? NaN) : NaN;
  }

  clear(): void {
    this.length = 0;
  }

  toString(): string {
    return this.#bytes.toString("utf16le", 0, this.length * 2);
  }

  #makeRoom(units: number): void {
    const before = this.#units;
    this.#units = new Uint16Array(Math.max(FIRST_UNITS, units, before.length * 2));
    this.#units.set(before);
    this.#bytes = Buffer.from(this.#units.buffer);
  }
}

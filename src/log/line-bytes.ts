/**
 * Lines of the log as bytes, several for one write: kept as texts they would be copied twice more,
 * and twice as wide where one letter is not Latin.
 */

/** Longer texts are written by the library, which is slow to begin and fast to go on. */
const WRITTEN_HERE = 32;
/** UTF-8 of one UTF-16 unit at most. */
const BYTES_OF_UNIT = 3;
const COMMA = 0x2c;
const BEYOND_ASCII = 0x80;

export class LineBytes {
  /** How many there are. */
  used = 0;
  private bytes: Buffer;
  private readonly size: number;

  /** `size`: of what is usually taken at once; more is possible. */
  constructor(size: number) {
    this.size = size;
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  text(text: string): void {
    this.need(text.length * BYTES_OF_UNIT);
    if (text.length > WRITTEN_HERE || !this.writeAscii(text))
      this.used += this.bytes.write(text, this.used);
  }

  /** Makes of the object that was written from `start` on its inside, with a comma before it. */
  openInside(start: number): void {
    this.bytes[start] = COMMA;
    this.used -= this.used - start === "{}".length ? "{}".length : "}".length;
  }

  /** All of it; it is not written to any more. */
  take(): Buffer {
    const { used, bytes, size } = this;
    this.used = 0;
    // A few lines at a time leave the memory where it is.
    if (used * 4 < bytes.length) return Buffer.from(bytes.subarray(0, used));
    this.bytes = Buffer.allocUnsafeSlow(size);
    return bytes.subarray(0, used);
  }

  /** False, with nothing written, where a letter is none of ASCII. */
  private writeAscii(text: string): boolean {
    const { bytes, used } = this;
    for (let i = 0; i < text.length; i++) {
      const letter = text.charCodeAt(i);
      if (letter >= BEYOND_ASCII) return false;
      bytes[used + i] = letter;
    }
    this.used = used + text.length;
    return true;
  }

  private need(more: number): void {
    if (this.used + more <= this.bytes.length) return;
    const wider = Buffer.allocUnsafeSlow(Math.max(this.used + more, this.bytes.length * 2));
    this.bytes.copy(wider, 0, 0, this.used);
    this.bytes = wider;
  }
}

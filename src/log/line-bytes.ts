/**
 * Lines of the log as bytes, several for one write: as texts they would be put together piece by
 * piece and copied twice more before they are out.
 */

/** Longer texts are written by the library, which is slow to begin and fast to go on. */
const WRITTEN_HERE = 256;
/** UTF-8 of one UTF-16 unit at most. */
const BYTES_OF_UNIT = 3;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BEYOND_ASCII = 0x80;

export class LineBytes {
  /** How many there are. What was written since may be taken back by setting it to what it was. */
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
    if (text.length > WRITTEN_HERE || !this.plain(text, 0))
      this.used += this.bytes.write(text, this.used);
  }

  /** As a string of JSON. */
  quoted(text: string): void {
    this.need(text.length + 2);
    const { used } = this;
    this.bytes[used] = QUOTE;
    this.used = used + 1;
    if (text.length <= WRITTEN_HERE && this.plain(text, SPACE)) {
      this.bytes[this.used] = QUOTE;
      this.used += 1;
    } else {
      this.used = used;
      this.text(JSON.stringify(text));
    }
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

  /** False, with nothing written, where not every letter is itself in ASCII and in JSON. */
  private plain(text: string, least: number): boolean {
    const { bytes, used } = this;
    for (let i = 0; i < text.length; i++) {
      const letter = text.charCodeAt(i);
      if (letter >= BEYOND_ASCII) return false;
      if (least > 0 && (letter < least || letter === QUOTE || letter === BACKSLASH)) return false;
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

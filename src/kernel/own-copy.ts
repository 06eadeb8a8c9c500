/**
 * Copies of bytes for what is kept for long. A few bytes out of Node's pool of buffers, or out of a
 * piece that came over a socket, would keep all of its 64 kB.
 */

/** These parts, one behind the other, in memory of their own. */
export function ownCopy(...parts: readonly Buffer[]): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) at += part.copy(copy, at);
  return copy;
}

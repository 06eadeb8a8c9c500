/** Puts what is written for several frames into one piece. */
import type { Frame, StreamWriter } from "./chat-dialect.ts";

/**
 * Null where nothing is written for any of them. Bytes that lie one after the other, as those of
 * events do that came together, are not copied.
 */
export function joinPieces(
  frames: readonly Frame[],
  writer: Pick<StreamWriter, "write">,
): Buffer | null {
  if (frames.length === 1 && frames[0] !== undefined) return writer.write(frames[0]);
  const pieces: Buffer[] = [];
  /** The run of bytes under way begins with `first` and ends at `end` of the same memory. */
  let first: Buffer | null = null;
  let end = 0;
  for (const frame of frames) {
    const bytes = writer.write(frame);
    if (bytes === null) continue;
    if (first === null || bytes.byteOffset !== end || bytes.buffer !== first.buffer) {
      if (first !== null) pieces.push(upTo(first, end));
      first = bytes;
    }
    end = bytes.byteOffset + bytes.length;
  }
  if (first === null) return null;
  const last = upTo(first, end);
  return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
}

function upTo(first: Buffer, end: number): Buffer {
  const size = end - first.byteOffset;
  return size === first.length ? first : Buffer.from(first.buffer, first.byteOffset, size);
}

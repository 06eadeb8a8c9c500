/** Walks the chunks of a WAV file: does what its headers say fit the file? */
import type { ByteSource } from "./byte-source.ts";
import { refuse } from "./media-facts.ts";
import type { ProbeRefusal } from "./media-facts.ts";

const MAX_CHUNKS = 1000;
/** Written by programs that cannot go back to fill in the length: up to the end of the file. */
const OPEN = new Set([0, 0xffffffff]);

/** Null: nothing wrong was found. */
export async function walkWave(source: ByteSource): Promise<ProbeRefusal | null> {
  if (source.bytes < 44)
    return refuse("truncated", "The file is shorter than the header of a WAV file.");
  const riffBytes = await readSize(source, 4);
  if (!OPEN.has(riffBytes) && riffBytes + 8 < source.bytes * 0.8)
    return refuse(
      "lying",
      `The WAV header tells of ${riffBytes + 8} bytes, the file has ${source.bytes}.`,
    );
  let at = 12;
  for (let chunk = 0; at + 8 <= source.bytes; chunk++) {
    if (chunk > MAX_CHUNKS)
      return refuse("too_hard", `The file has more than ${MAX_CHUNKS} chunks.`);
    const name = Buffer.from(await source.read(at, at + 3)).toString("latin1");
    const size = await readSize(source, at + 4);
    if (name === "data") {
      if (OPEN.has(size) || at + 8 + size <= source.bytes) return null;
      return refuse(
        "truncated",
        `The file breaks off: its sound ends at byte ${at + 8 + size}, the file has ${source.bytes}.`,
      );
    }
    at += 8 + size + (size % 2);
  }
  return refuse("corrupt", "The WAV file has no sound in it.");
}

async function readSize(source: ByteSource, at: number): Promise<number> {
  const bytes = await source.read(at, at + 3);
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
}

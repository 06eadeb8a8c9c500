/** Bytes of a known sum, as streams that behave, fail, stall or are slow. */
import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";

export const PART_BYTES = 5 * 1024 * 1024;

export const sha256 = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

export function someBytes(length: number): Buffer {
  return randomBytes(length);
}

/** In chunks whose lengths are no divisor of anything. */
export function streamOf(bytes: Uint8Array, chunkBytes = 60_013): Readable {
  return Readable.from(chunksOf(bytes, chunkBytes), { objectMode: false });
}

/** Gives all bytes, then fails with `error`. */
export function failingAfter(bytes: Uint8Array, error: Error): Readable {
  function* generate(): Generator<Uint8Array> {
    yield* chunksOf(bytes, 60_013);
    throw error;
  }
  return Readable.from(generate(), { objectMode: false });
}

/**
 * Gives all bytes and then nothing more, nor an end. `taken` settles when the last of them was
 * asked for.
 */
export function stallingAfter(bytes: Uint8Array): {
  readonly source: Readable;
  readonly taken: Promise<void>;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunks = chunksOf(bytes, 60_013);
  const source = new Readable({
    read() {
      const { value, done } = chunks.next();
      if (done === true) resolve();
      else this.push(value);
    },
  });
  return { source, taken: promise };
}

export async function bytesOf(stream: Readable | null): Promise<Buffer> {
  if (stream === null) throw new Error("there is no such object");
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function* chunksOf(bytes: Uint8Array, chunkBytes: number): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield bytes.subarray(start, start + chunkBytes);
}

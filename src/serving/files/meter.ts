/**
 * What a file's bytes pass through on their way into the storage: counts them, hashes them, ends at
 * the limit, and shows how they begin.
 */
import { createHash } from "node:crypto";
import { Transform } from "node:stream";

export interface FileHead {
  /** The first bytes, as many as were asked for or all there are. */
  readonly bytes: Buffer;
  /** There is nothing behind them. */
  readonly whole: boolean;
}

export interface Meter {
  /** Nothing comes out of it before the head is known. */
  readonly stream: Transform;
  /** Rejects when the bytes end in an error before that. */
  readonly head: Promise<FileHead>;
  /** So far. */
  readonly bytes: number;
  /** Of all bytes; to be asked once, at the end. */
  sha256(): Buffer;
}

/**
 * `overLimit` makes the error in which the stream ends as soon as more than `limitBytes` have come.
 */
export function createMeter(options: {
  readonly limitBytes: number;
  readonly headBytes: number;
  overLimit(): Error;
}): Meter {
  const { limitBytes, headBytes } = options;
  const hash = createHash("sha256");
  const head = Promise.withResolvers<FileHead>();
  // Code that waits for the head hears of its error; without a waiter it must not end the process.
  head.promise.catch(() => undefined);
  let held: Buffer[] | null = [];
  let bytes = 0;

  function release(whole: boolean): Buffer {
    const first = Buffer.concat(held ?? []);
    held = null;
    head.resolve({
      bytes: first.subarray(0, headBytes),
      whole: whole && first.length <= headBytes,
    });
    return first;
  }

  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > limitBytes) return done(options.overLimit());
      hash.update(chunk);
      if (held === null) return done(null, chunk);
      held.push(chunk);
      // One byte more than the head tells whether it is the whole file.
      if (bytes <= headBytes) return done();
      done(null, release(false));
    },
    flush(done) {
      if (held === null || bytes === 0) {
        if (held !== null) release(true);
        return done();
      }
      done(null, release(true));
    },
    destroy(error, done) {
      head.reject(error ?? new Error("the bytes were cut off"));
      done(error);
    },
  });

  return {
    stream,
    head: head.promise,
    get bytes() {
      return bytes;
    },
    sha256: () => hash.digest(),
  };
}

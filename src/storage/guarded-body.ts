/**
 * The body of a server's answer, handed on: cut to what was asked, with a deadline for silence and
 * errors that are safe to show.
 */
import { Readable } from "node:stream";
import { StorageError, toStorageError } from "./storage-error.ts";

export interface BodyLimits {
  /**
   * Not a byte more is handed on; what a server sends beyond it is refused by closing the
   * connection.
   */
  readonly wantedBytes: number;
  /**
   * How long the server may be silent while the reader waits. A reader that takes its time is no
   * fault of the server's.
   */
  readonly silenceMs: number;
}

/**
 * Ends after `wantedBytes`; a body that ends before them is an error. Destroying it frees the
 * connection.
 */
export function guardedBody(body: Readable, { wantedBytes, silenceMs }: BodyLimits): Readable {
  let missing = wantedBytes;
  let silence: NodeJS.Timeout | null = null;

  const guarded = new Readable({
    read() {
      silence ??= setTimeout(
        () => guarded.destroy(new StorageError("GetObject", "SilenceTimeout", null)),
        silenceMs,
      );
      body.resume();
    },
    destroy(error, done) {
      stopClock();
      body.destroy();
      done(error);
    },
  });

  function stopClock(): void {
    if (silence !== null) clearTimeout(silence);
    silence = null;
  }

  body.pause();
  body.on("data", (chunk: Buffer) => {
    silence?.refresh();
    const piece = chunk.length > missing ? chunk.subarray(0, missing) : chunk;
    missing -= piece.length;
    const more = guarded.push(piece);
    // The rest of the answer, if there is one, ends with the connection.
    if (piece.length < chunk.length) finish(true);
    else if (!more) {
      stopClock();
      body.pause();
    }
  });
  body.on("end", () => finish(false));
  body.on("error", (error) => guarded.destroy(toStorageError("GetObject", error)));
  body.on("close", () => {
    if (missing > 0) guarded.destroy(new StorageError("GetObject", "Truncated", null));
  });
  return guarded;

  function finish(excess: boolean): void {
    stopClock();
    if (excess) body.destroy();
    if (missing > 0) guarded.destroy(new StorageError("GetObject", "Truncated", null));
    else guarded.push(null);
  }
}

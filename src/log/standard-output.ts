/**
 * Standard output as a server uses it: its reader may go away or stop reading, and the server
 * serves on.
 */

/** What may wait for a reader that does not read; what comes on top is dropped. */
const WAITING_MAX_BYTES = 8 * 1024 * 1024;
/** How long the end of the process waits for what was not read yet. */
const END_AFTER_MS = 1_000;

export interface StandardOutput {
  write(text: string | Buffer): void;
  /**
   * The process has nothing more to do: it ends with its `exitCode`, also when no reader takes what
   * it wrote.
   */
  end(): void;
}

/**
 * Without a listener the end of a reader (`npm start | head`) would be an error that ends the
 * process.
 */
export function openStandardOutput(): StandardOutput {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  return {
    write(text) {
      if (process.stdout.writableLength < WAITING_MAX_BYTES) process.stdout.write(text);
    },
    end() {
      setTimeout(() => process.exit(), END_AFTER_MS).unref();
    },
  };
}

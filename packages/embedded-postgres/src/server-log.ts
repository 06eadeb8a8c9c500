/** The server's own log: appended to one file that is kept from growing without end. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  truncateSync,
} from "node:fs";

export interface ServerLog {
  /** For the server to write to. */
  readonly fd: number;
  /** The last lines, for an error message. */
  tail(): string;
  close(): void;
}

const LIMIT_BYTES = 16 * 1024 * 1024;
const LOOK_EVERY_MS = 60_000;
const TAIL_BYTES = 2_000;

/**
 * Past the limit the content moves to `PATH.1`, replacing what is there, so the two files stay
 * below about twice the limit.
 */
export function openServerLog(path: string): ServerLog {
  // Everybody writes with O_APPEND, so cutting the file under the server's feet is safe.
  const fd = openSync(path, "a+", 0o640);
  const limit = (): void => {
    if (!existsSync(path) || fstatSync(fd).size < LIMIT_BYTES) return;
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
  };
  limit();
  const timer = setInterval(limit, LOOK_EVERY_MS);
  timer.unref();
  return {
    fd,
    tail() {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      readSync(fd, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8").trim().split("\n").slice(-6).join("\n");
    },
    close() {
      clearInterval(timer);
      closeSync(fd);
    },
  };
}

/** The program's log: one JSON object per line on standard output, secrets masked as the last guard. */
import { pino } from "pino";
import type { Logger } from "pino";
import { redactKeySecrets } from "../kernel/secrets.ts";

export type Log = Logger;

/** Lines are written together: a write costs more than the line in it. So many characters at once, */
const WRITE_AT_CHARACTERS = 16 * 1024;
/** or what there is after this time. */
const WRITE_AFTER_MS = 50;
/** Pino's number of `error`: from there on a line is written at once, with all before it. */
const URGENT_LEVEL = 50;

/** `write` gets whole lines, one or several, for the last time when the process exits. */
export function createLog(level: string, write: (lines: string) => void): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: createTimestamp(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    createLineBuffer((lines) => write(redactKeySecrets(lines))),
  );
}

/** As pino's own `isoTime`, but written out once a millisecond. */
function createTimestamp(): () => string {
  let lastMs = 0;
  let text = "";
  return () => {
    const nowMs = Date.now();
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}

/** A stream as pino wants it: `lastLevel` is set before each line. */
function createLineBuffer(write: (lines: string) => void) {
  let lines = "";
  let timer: NodeJS.Timeout | null = null;

  function flush(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const out = lines;
    lines = "";
    if (out !== "") write(out);
  }
  process.on("exit", flush);

  return {
    [pino.symbols.needsMetadataGsym]: true as const,
    lastLevel: 0,
    write(line: string): void {
      lines += line;
      if (this.lastLevel >= URGENT_LEVEL || lines.length >= WRITE_AT_CHARACTERS) flush();
      // Nobody has to wait for it: the exit writes what is left.
      else timer ??= setTimeout(flush, WRITE_AFTER_MS).unref();
    },
  };
}

/** What helps to find a fault, and nothing else: drivers hang connections, and with them passwords, on their errors. */
function describeError(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const code = "code" in thrown && typeof thrown.code === "string" ? { code: thrown.code } : {};
  const cause = thrown.cause === undefined ? {} : { cause: describeError(thrown.cause) };
  return { type: thrown.name, message: thrown.message, ...code, stack: thrown.stack, ...cause };
}

/** The program's log: one JSON object per line on standard output, secrets masked as the last guard. */
import { pino } from "pino";
import type { Logger } from "pino";
import { redactKeySecrets } from "../kernel/secrets.ts";

export type Log = Logger;

export function createLog(level: string, write: (line: string) => void): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    { write: (line: string) => write(redactKeySecrets(line)) },
  );
}

/** What helps to find a fault, and nothing else: drivers hang connections, and with them passwords, on their errors. */
function describeError(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const code = "code" in thrown && typeof thrown.code === "string" ? { code: thrown.code } : {};
  const cause = thrown.cause === undefined ? {} : { cause: describeError(thrown.cause) };
  return { type: thrown.name, message: thrown.message, ...code, stack: thrown.stack, ...cause };
}

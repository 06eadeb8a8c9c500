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
      serializers: { err: pino.stdSerializers.err },
    },
    { write: (line: string) => write(redactKeySecrets(line)) },
  );
}

/**
 * The program's log: one JSON object per line on standard output, secrets masked as the last guard.
 */
import { createIsoTime } from "../kernel/iso-time.ts";
import { holdsKeySecret, redactKeySecrets } from "../kernel/secrets.ts";
import { LineBytes } from "./line-bytes.ts";

/**
 * Says what happened, with fields to find it by, and `further` ones behind them; `err` among the
 * first is what was thrown. Fields that are undefined are left out.
 */
export interface LogLevel {
  (fields: object, message: string, further?: object): void;
  (message: string): void;
}

export interface Log {
  readonly fatal: LogLevel;
  readonly error: LogLevel;
  readonly warn: LogLevel;
  readonly info: LogLevel;
  readonly debug: LogLevel;
}

/**
 * From the gravest to the least: a log of one of these levels has those before it. `silent` is none
 * of them.
 */
const LEVELS = ["fatal", "error", "warn", "info", "debug", "trace"];
/**
 * Lines are written together: a write costs more than the line in it. So many bytes at once,
 */
const WRITE_AT_BYTES = 16 * 1024;
/** and room for the line that is the last of them: */
const LAST_LINE_BYTES = 4 * 1024;
/** or what there is after this time. */
const WRITE_AFTER_MS = 50;

/** Whether a log of this level has lines of that one. */
export function hears(level: string, name: keyof Log): boolean {
  return LEVELS.indexOf(name) <= LEVELS.indexOf(level);
}

/** `write` gets whole lines, one or several, for the last time when the process exits. */
export function createLog(level: string, write: (lines: Buffer) => void): Log {
  const lines = new LineBytes(WRITE_AT_BYTES + LAST_LINE_BYTES);
  const flushing = createFlushing(() => write(withoutSecrets(lines.take())));
  const isoTime = createIsoTime();
  const inProcess = `","pid":${process.pid}`;

  function at(name: keyof Log, urgent: boolean): LogLevel {
    if (!hears(level, name)) return () => undefined;
    const head = `{"level":"${name}","time":"`;
    return (first: object | string, message?: string, further?: object) => {
      lines.text(head);
      lines.text(isoTime(new Date()));
      lines.text(inProcess);
      if (typeof first !== "string") writeFields(lines, first);
      if (further !== undefined) writeFields(lines, further);
      lines.text(',"msg":');
      lines.text(JSON.stringify(typeof first === "string" ? first : message));
      lines.text("}\n");
      if (urgent || lines.used >= WRITE_AT_BYTES) flushing.now();
      else flushing.soon();
    };
  }

  return {
    fatal: at("fatal", true),
    error: at("error", true),
    warn: at("warn", false),
    info: at("info", false),
    debug: at("debug", false),
  };
}

/** As the inside of a JSON object, with a comma before it. */
function writeFields(lines: LineBytes, fields: object): void {
  const before = lines.used;
  lines.text(
    jsonOf(
      "err" in fields && fields.err !== undefined
        ? { ...fields, err: describeError(fields.err) }
        : fields,
    ),
  );
  lines.openInside(before);
}

/** What cannot be written is told in its place: no caller expects a word to the log to throw. */
function jsonOf(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    return JSON.stringify({ unwritable: String(error) });
  }
}

function withoutSecrets(lines: Buffer): Buffer {
  return holdsKeySecret(lines) ? Buffer.from(redactKeySecrets(lines.toString())) : lines;
}

/** Sees to it that what waits is written: now, or in a moment, or when the process exits. */
function createFlushing(write: () => void): { now(): void; soon(): void } {
  let timer: NodeJS.Timeout | null = null;

  function now(): void {
    if (timer !== null) {
      clearTimeout(timer);
      process.off("exit", now);
      timer = null;
    }
    write();
  }

  return {
    now,
    soon() {
      if (timer !== null) return;
      timer = setTimeout(now, WRITE_AFTER_MS);
      // The process need not wait for it: the exit writes what is left.
      timer.unref();
      process.on("exit", now);
    },
  };
}

/**
 * What helps to find a fault, and nothing else: drivers hang connections, and with them passwords,
 * on their errors.
 */
function describeError(thrown: unknown): object {
  if (!(thrown instanceof Error)) return { message: String(thrown) };
  const code = "code" in thrown && typeof thrown.code === "string" ? { code: thrown.code } : {};
  const cause = thrown.cause === undefined ? {} : { cause: describeError(thrown.cause) };
  return { type: thrown.name, message: thrown.message, ...code, stack: thrown.stack, ...cause };
}

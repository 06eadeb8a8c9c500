/**
 * The program's log: one JSON object per line on standard output, secrets masked as the last guard.
 */
import { createIsoTime } from "../kernel/iso-time.ts";
import { redactKeySecrets } from "../kernel/secrets.ts";

/**
 * Says what happened, with fields to find it by; `err` among them is what was thrown. Fields that
 * are undefined are left out.
 */
export interface LogLevel {
  (fields: object, message: string): void;
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
 * Lines are written together: a write costs more than the line in it. So many characters at once,
 */
const WRITE_AT_CHARACTERS = 16 * 1024;
/** or what there is after this time. */
const WRITE_AFTER_MS = 50;

/** `write` gets whole lines, one or several, for the last time when the process exits. */
export function createLog(level: string, write: (lines: string) => void): Log {
  const lines = createLineBuffer((text) => write(redactKeySecrets(text)));
  const isoTime = createIsoTime();
  const { pid } = process;
  const heard = LEVELS.indexOf(level);

  function at(name: string, urgent: boolean): LogLevel {
    if (LEVELS.indexOf(name) > heard) return () => undefined;
    const head = `{"level":"${name}","time":"`;
    return (first: object | string, message?: string) => {
      const fields = typeof first === "string" ? "" : insideOf(first);
      const text = JSON.stringify(typeof first === "string" ? first : message);
      lines.add(`${head}${isoTime(new Date())}","pid":${pid}${fields},"msg":${text}}\n`, urgent);
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
function insideOf(fields: object): string {
  const text = jsonOf(
    "err" in fields && fields.err !== undefined
      ? { ...fields, err: describeError(fields.err) }
      : fields,
  );
  return text === "{}" ? "" : `,${text.slice(1, -1)}`;
}

/** What cannot be written is told in its place: no caller expects a word to the log to throw. */
function jsonOf(fields: object): string {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    return JSON.stringify({ unwritable: String(error) });
  }
}

function createLineBuffer(write: (lines: string) => void): {
  add(line: string, urgent: boolean): void;
} {
  let lines = "";
  let timer: NodeJS.Timeout | null = null;

  function flush(): void {
    if (timer !== null) {
      clearTimeout(timer);
      process.off("exit", flush);
      timer = null;
    }
    const out = lines;
    lines = "";
    write(out);
  }

  return {
    add(line, urgent) {
      lines += line;
      if (urgent || lines.length >= WRITE_AT_CHARACTERS) flush();
      else if (timer === null) {
        timer = setTimeout(flush, WRITE_AFTER_MS);
        // The process need not wait for it: the exit writes what is left.
        timer.unref();
        process.on("exit", flush);
      }
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

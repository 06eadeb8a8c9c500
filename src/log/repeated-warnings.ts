/**
 * Tells of one matter once in some seconds and how often it came, however often that is: an outage
 * fails everything at once.
 */
import type { Log } from "./log.ts";

export interface RepeatedWarnings {
  /**
   * The first of a matter is told at once, the others together: `times` is how many came since the
   * line before, `err` the last of them.
   */
  warn(what: string, error: unknown): void;
  /** Tells what was not told yet. */
  close(): void;
}

interface Matter {
  readonly what: string;
  times: number;
  error: unknown;
  timer: NodeJS.Timeout;
}

const QUIET_MS = 5_000;
/** Beyond so many at a time their reasons are no longer told apart. */
const MATTERS_MAX = 100;

export function createRepeatedWarnings(
  log: Pick<Log, "warn">,
  quietMs = QUIET_MS,
): RepeatedWarnings {
  const matters = new Map<string, Matter>();

  function tell(matter: Matter): void {
    log.warn({ err: matter.error, times: matter.times }, matter.what);
    matter.times = 0;
  }

  function later(name: string): NodeJS.Timeout {
    return setTimeout(() => {
      const matter = matters.get(name);
      if (matter === undefined) return;
      if (matter.times === 0) {
        matters.delete(name);
        return;
      }
      tell(matter);
      matter.timer = later(name);
    }, quietMs).unref();
  }

  return {
    warn(what, error) {
      const name = matters.size < MATTERS_MAX ? `${what}\n${reasonOf(error)}` : what;
      const known = matters.get(name);
      if (known === undefined) {
        log.warn({ err: error }, what);
        matters.set(name, { what, times: 0, error, timer: later(name) });
        return;
      }
      known.times += 1;
      known.error = error;
    },
    close() {
      for (const matter of matters.values()) {
        clearTimeout(matter.timer);
        if (matter.times > 0) tell(matter);
      }
      matters.clear();
    },
  };
}

/** The innermost: what is around it is the same for many. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}

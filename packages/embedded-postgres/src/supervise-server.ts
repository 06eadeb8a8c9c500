/**
 * Keeps one server running: starts it again when it ends by itself, and gives up aloud when that
 * does not help.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Postmaster } from "./postmaster.ts";

export interface SupervisorOptions {
  /** Clears what a dead server left behind and starts a new process. */
  start(): Promise<Postmaster>;
  /** The last words of the server's log. */
  logTail(): string;
  log(line: string, level?: "warn"): void;
  /** The server cannot be kept running. */
  onFatal(error: Error): void;
}

export interface Supervisor {
  /** Of the server process that runs now, or ran last. */
  readonly pid: number;
  /** `at-once` ends its clients, `when-unused` lets them finish for up to ten seconds. */
  stop(how: "at-once" | "when-unused"): Promise<void>;
}

const ATTEMPTS = 7;
/** Doubled after each start that failed. One server has no others to part from, so no jitter. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/**
 * A server that keeps crashing is not kept alive for ever: something is broken that a restart does
 * not mend.
 */
const CRASH_WINDOW_MS = 60_000;
const CRASH_LIMIT = 10;
const SLOW_START_MS = 5_000;
const UNUSED_WAIT_MS = 10_000;
const FAST_STOP_MS = 10_000;
const CRASH_STOP_MS = 3_000;

/**
 * Resolves when the server accepts connections; throws with its last words when it does not come
 * up.
 */
export async function superviseServer(options: SupervisorOptions): Promise<Supervisor> {
  let stopping = false;
  let current: Postmaster;
  await bringUp();
  const crashes: number[] = [];
  const watched = watch();

  async function bringUp(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const postmaster = await options.start();
      current = postmaster;
      if (stopping) postmaster.signal("SIGINT"); // asked to stop while there was no process to tell
      const slow = setTimeout(
        () => options.log("the database is still starting; after a crash it replays its log first"),
        SLOW_START_MS,
      );
      const ready = await postmaster.ready();
      clearTimeout(slow);
      if (ready) return;
      const how = await postmaster.ended;
      if (attempt >= ATTEMPTS || stopping)
        throw new Error(
          `The embedded PostgreSQL does not start (${how}). Its log ends with:\n${options.logTail()}`,
        );
      await sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)));
    }
  }

  async function watch(): Promise<void> {
    for (;;) {
      const how = await current.ended;
      if (stopping) return;
      const now = performance.now();
      crashes.push(now);
      const recent = crashes.filter((at) => at > now - CRASH_WINDOW_MS).length;
      options.log(`the database server ended (${how}); starting it again`, "warn");
      try {
        if (recent > CRASH_LIMIT)
          throw new Error(
            `The embedded PostgreSQL ended ${recent} times within a minute. Its log ends with:\n${options.logTail()}`,
          );
        await bringUp();
        options.log(`the database server is back after ${Math.round(performance.now() - now)} ms`);
      } catch (error) {
        if (!stopping) options.onFatal(error instanceof Error ? error : new Error(String(error)));
        return;
      }
    }
  }

  return {
    get pid() {
      return current.pid;
    },
    async stop(how) {
      stopping = true;
      const end = async (
        signal: "SIGTERM" | "SIGINT" | "SIGQUIT",
        waitMs: number,
      ): Promise<boolean> => {
        current.signal(signal);
        const timer = new AbortController();
        const ended = await Promise.race([
          watched.then(() => true),
          sleep(waitMs, false, { signal: timer.signal }).catch(() => true),
        ]);
        timer.abort();
        return ended;
      };
      if (how === "when-unused" && (await end("SIGTERM", UNUSED_WAIT_MS))) return;
      if (await end("SIGINT", FAST_STOP_MS)) return;
      options.log(
        "the database server does not stop; ending it hard (nothing committed is lost)",
        "warn",
      );
      if (!(await end("SIGQUIT", CRASH_STOP_MS))) current.signal("SIGKILL");
      await watched;
    },
  };
}

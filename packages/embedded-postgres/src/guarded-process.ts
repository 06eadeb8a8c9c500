/**
 * Starts a program of PostgreSQL that cannot outlive us: a watchdog ends it when our process is
 * gone, however it went.
 */
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import type { Writable } from "node:stream";
import type { ServerUser } from "./server-user.ts";

export interface GuardedOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Null: run as the user we are. */
  readonly user: ServerUser | null;
  /** Of files 0, 1 and 2. */
  readonly stdio: [StdioItem, StdioItem, StdioItem];
  /**
   * What the watchdog does when we are gone: `interrupt` ends a server's clients and the server,
   * `let-finish` gives the clients a minute first, `kill` is for programs whose half-done work is
   * thrown away.
   */
  readonly orphaned: "interrupt" | "let-finish" | "kill";
}

type StdioItem = "ignore" | "pipe" | number;

/**
 * The shell forks a watchdog, then becomes the program (exec), so there is no moment with a program
 * and no watchdog. The watchdog reads file 3, a pipe that only our process holds open: the kernel
 * closes it however we die. It is forked twice, so the program never sees a child it does not know;
 * both run in a session of their own, so a signal to our process group reaches neither.
 */
const SCRIPT = `
program=$$
( ( exec 0<&3 3<&- >/dev/null 2>&1
    trap '' HUP INT QUIT TERM PIPE
    cd /
    read -r word && [ "$word" = released ] && exit 0
    alive() { kill -0 "$program" && ! grep -q "^State:.Z" "/proc/$program/status"; }
    wait_for_end() { n=0; while [ $n -lt $1 ] && alive; do sleep 1; n=$((n+1)); done; }
    case $orphaned in
      kill) kill -KILL "-$program"; exit 0;;
      let-finish) kill -TERM "$program"; wait_for_end 60;;
    esac
    alive && kill -INT "$program" && wait_for_end 4
    alive && kill -QUIT "$program" && wait_for_end 2
    alive && kill -KILL "$program"
  ) & )
exec 3<&-
exec "$@"
`;

/**
 * For glibc; others ignore it. A statement takes and frees some memory, and left alone the library
 * gives it back to the kernel each time, only to ask for it again: a session keeps it instead. A
 * batch of 100 settlements costs 5 to 7 percent less so, one of 10 about 3.
 */
const MEMORY = {
  MALLOC_TOP_PAD_: "262144",
  MALLOC_TRIM_THRESHOLD_: "2097152",
  MALLOC_MMAP_THRESHOLD_: "1048576",
};

/**
 * `/proc/self/cwd` names the folder a process stands in without walking the path to it. The child
 * is put there before it gives up our rights, so the program works in a folder whose parents its
 * user may not enter (a home folder of mode 700, under root).
 */
export function folderForChild(cwd: string): string {
  return process.platform === "linux" ? "/proc/self/cwd" : cwd;
}

export function spawnGuarded(options: GuardedOptions): ChildProcess {
  const stdio: StdioOptions = [...options.stdio, "pipe"];
  const child = spawn(
    "/bin/sh",
    ["-c", SCRIPT, "tollgate-guard", options.program, ...options.args],
    {
      cwd: options.cwd,
      detached: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", ...MEMORY, orphaned: options.orphaned },
      stdio,
      // Node drops the supplementary groups together with the user.
      ...(options.user === null ? {} : { uid: options.user.uid, gid: options.user.gid }),
    },
  );
  const lifeline = child.stdio[3] as Writable | null | undefined;
  lifeline?.on("error", () => {}); // the watchdog is gone: no process left to tell
  child.once("exit", () => lifeline?.end("released\n"));
  return child;
}

/** Starts one PostgreSQL server process that cannot outlive us, and tells when it is ready and when it ends. */
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import type { ServerUser } from "./server-user.ts";

export interface PostmasterOptions {
  readonly binaries: Binaries;
  /** Null: run as the user we are. */
  readonly user: ServerUser | null;
  readonly clusterDir: string;
  readonly socketDir: string;
  /** Server settings, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** An open file for the server's own log. */
  readonly logFd: number;
  /** What the watchdog sends first when we are gone: INT ends clients at once, TERM lets them finish. */
  readonly orphanSignal: "INT" | "TERM";
}

export interface Postmaster {
  readonly pid: number;
  /** Resolves when the process is gone, with a description of how: `exit code 1`, `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /** Resolves true when connections are accepted, false when the process ended before that. */
  ready(): Promise<boolean>;
  signal(name: "SIGTERM" | "SIGINT" | "SIGQUIT"): void;
}

/**
 * The shell forks a watchdog, then becomes the server (exec), so there is no moment with a server and no watchdog.
 * The watchdog reads file 3, a pipe that only our process holds open: the kernel closes it however we die. It is forked twice, so the server
 * never sees a child it does not know; it runs in the server's session, so a signal to our process group does not reach it.
 */
const SCRIPT = `
server=$$
( ( exec 0<&3 3<&- >/dev/null 2>&1
    trap '' HUP INT QUIT TERM PIPE
    cd /
    read -r word && [ "$word" = released ] && exit 0
    alive() { kill -0 "$server" && ! grep -q "^State:.Z" "/proc/$server/status"; }
    wait_for_end() { n=0; while [ $n -lt $1 ] && alive; do sleep 1; n=$((n+1)); done; }
    kill -s "$orphan_signal" "$server"; wait_for_end "$patience"
    alive && kill -INT "$server" && wait_for_end 3
    alive && kill -QUIT "$server" && wait_for_end 2
    alive && kill -KILL "$server"
  ) & )
exec 3<&-
exec "$@"
`;
const ORPHAN_PATIENCE_SECONDS = { INT: "3", TERM: "60" } as const;

/**
 * `/proc/self/cwd` names the folder a process stands in without walking the path to it. The child is put there before it gives up our rights,
 * so the server works in a folder whose parents its user may not enter (a home folder of mode 700, under root).
 */
export const WORKING_FOLDER = process.platform === "linux" ? "/proc/self/cwd" : null;

export function startPostmaster(options: PostmasterOptions): Postmaster {
  const settings = { ...options.settings, unix_socket_directories: options.socketDir, listen_addresses: "" };
  const child: ChildProcess = spawn(
    "/bin/sh",
    [
      "-c",
      SCRIPT,
      "tollgate-postgres",
      options.binaries.postgres,
      "-D",
      WORKING_FOLDER ?? options.clusterDir,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    {
      cwd: options.clusterDir,
      detached: true,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", orphan_signal: options.orphanSignal, patience: ORPHAN_PATIENCE_SECONDS[options.orphanSignal] },
      stdio: ["ignore", options.logFd, options.logFd, "pipe"],
      ...(options.user === null ? {} : { uid: options.user.uid, gid: options.user.gid }),
    },
  );
  const lifeline = child.stdio[3] as Writable | null | undefined;
  lifeline?.on("error", () => {}); // the watchdog is gone: nothing left to tell it
  // Neither the server nor the pipe keeps our process running; whoever wants to wait awaits `ended`.
  (lifeline as { unref?: () => void } | null | undefined)?.unref?.();

  let ended = false;
  const end = new Promise<string>((resolve) => {
    child.once("error", (error) => {
      ended = true;
      resolve(error.message);
    });
    child.once("exit", (code, signal) => {
      ended = true;
      lifeline?.end("released\n");
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
    });
  });
  const pid = child.pid ?? -1;
  return {
    pid,
    ended: end,
    async ready() {
      while (!ended) {
        if (isReady(options.clusterDir, pid)) return true;
        await sleep(5);
      }
      return false;
    },
    signal: (name) => {
      child.kill(name);
    },
  };
}

/** The server writes `ready` on line 8 of its postmaster.pid once it accepts connections. */
function isReady(clusterDir: string, pid: number): boolean {
  try {
    const lines = readFileSync(`${clusterDir}/postmaster.pid`, "utf8").split("\n");
    return lines[0] === String(pid) && lines[7]?.trim() === "ready";
  } catch {
    return false;
  }
}

/** One PostgreSQL server process: started, watched until it is ready, told to stop. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { folderForChild, spawnGuarded } from "./guarded-process.ts";
import type { ServerUser } from "./server-user.ts";

export interface PostmasterOptions {
  readonly binaries: Binaries;
  /** Null: run as the user we are. */
  readonly user: ServerUser | null;
  readonly clusterDir: string;
  readonly socketFolder: string;
  /** Server settings, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** An open file for the server's own log. */
  readonly logFd: number;
  /** What becomes of the server when we are gone. */
  readonly orphaned: "interrupt" | "let-finish";
}

export interface Postmaster {
  readonly pid: number;
  /**
   * Resolves when the process is gone, with a description of how: `exit code 1`, `signal SIGKILL`.
   */
  readonly ended: Promise<string>;
  /** Resolves true when connections are accepted, false when the process ended before that. */
  ready(): Promise<boolean>;
  signal(name: "SIGTERM" | "SIGINT" | "SIGQUIT" | "SIGKILL"): void;
}

export function startPostmaster(options: PostmasterOptions): Postmaster {
  // The socket is the only way in.
  const settings = {
    ...options.settings,
    unix_socket_directories: options.socketFolder,
    listen_addresses: "",
  };
  const child = spawnGuarded({
    program: options.binaries.postgres,
    args: [
      "-D",
      folderForChild(options.clusterDir),
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    cwd: options.clusterDir,
    user: options.user,
    stdio: ["ignore", options.logFd, options.logFd],
    orphaned: options.orphaned,
  });
  let over = false;
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      over = true;
      resolve(how);
    };
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) =>
      end(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  });
  const pid = child.pid ?? -1;
  return {
    pid,
    ended,
    async ready() {
      while (!over) {
        if (acceptsConnections(options.clusterDir, pid)) return true;
        await sleep(5);
      }
      return false;
    },
    signal(name) {
      child.kill(name);
    },
  };
}

/** The server writes `ready` on line 8 of its postmaster.pid once it accepts connections. */
export function acceptsConnections(clusterDir: string, pid: number): boolean {
  try {
    const lines = readFileSync(`${clusterDir}/postmaster.pid`, "utf8").split("\n");
    return lines[0] === String(pid) && lines[7]?.trim() === "ready";
  } catch {
    return false;
  }
}

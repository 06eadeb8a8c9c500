/** Runs a peer's server process: its output in a file, ready when it listens, gone with us. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { tollgateEnvironment, type Settings } from "../../test/support/tollgate-environment.ts";

export interface ServerOptions {
  /** The program that ends another one with us. */
  readonly leash: string;
  readonly command: readonly [string, ...string[]];
  readonly folder: string;
  readonly logFile: string;
  readonly environment: Settings;
  /** The port where it listens, as soon as that is known. */
  port(log: string): number | null;
}

export interface Server {
  readonly pid: number;
  readonly port: number;
  /** Throws what it wrote so far away: what it writes for each request fills disks. */
  forgetLog(): void;
  /** SIGTERM, and SIGKILL for one that does not hear. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 40_000;
const LOOK_EVERY_MS = 20;

export async function spawnServer(options: ServerOptions): Promise<Server> {
  // What an earlier start in this folder said of its port is over.
  writeFileSync(options.logFile, "");
  const log = openSync(options.logFile, "a");
  const child = spawn(options.leash, [...options.command], {
    cwd: options.folder,
    env: tollgateEnvironment(options.environment),
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const ended = once(child, "exit").catch((error: unknown) => error);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${options.leash} cannot be run`);

  async function stop(): Promise<void> {
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
    await ended;
    clearTimeout(late);
  }

  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const output = readFileSync(options.logFile, "utf8");
    const port = options.port(output);
    if (port !== null && (await listens(port)))
      return { pid, port, stop, forgetLog: () => truncateSync(options.logFile) };
    if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error(`${options.command.join(" ")} does not serve:\n${output.slice(-3000)}`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** A port that was free a moment ago, for programs that cannot choose one and say which. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

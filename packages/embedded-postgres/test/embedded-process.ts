/**
 * Runs the embedded server in a process of its own, which a test can kill. Run as a program it is
 * that process.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startEmbedded } from "../src/start-embedded.ts";

/** What the process says, one JSON line each. */
export type Report =
  | { readonly kind: "up"; readonly url: string; readonly pid: number }
  | { readonly kind: "log"; readonly line: string }
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "fatal"; readonly message: string };

const PATIENCE_MS = 60_000;

export interface EmbeddedProcess {
  readonly child: ChildProcess;
  /**
   * The next thing said of this kind; null when the process ended without saying it, or has not
   * said it for a minute.
   */
  reported<K extends Report["kind"]>(kind: K): Promise<Extract<Report, { kind: K }> | null>;
  /** Asks for an orderly end and waits for it. */
  stop(): Promise<void>;
  /** kill -9, and waits for it to be gone. */
  kill(): Promise<void>;
}

export function embeddedProcess(
  dataDir: string,
  purpose: "serve" | "command",
  options: { detached?: boolean } = {},
): EmbeddedProcess {
  const child = spawn(process.execPath, [import.meta.filename, dataDir, purpose], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: options.detached ?? false,
  });
  const heard: Report[] = [];
  const wake: (() => void)[] = [];
  let over = false;
  const tell = (): void => {
    for (const waiter of wake.splice(0)) waiter();
  };
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    heard.push(JSON.parse(line) as Report);
    tell();
  });
  lines.on("close", () => {
    over = true;
    tell();
  });
  const gone = once(child, "exit");
  return {
    child,
    async reported<K extends Report["kind"]>(kind: K) {
      const timer = setTimeout(tell, PATIENCE_MS);
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        const index = heard.findIndex((item) => item.kind === kind);
        if (index >= 0 || over || performance.now() >= until) {
          clearTimeout(timer);
          return index < 0 ? null : (heard.splice(index, 1)[0] as Extract<Report, { kind: K }>);
        }
        await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
    async stop() {
      child.stdin.end();
      await gone;
    },
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** The PostgreSQL processes that stand in the cluster's folder (Linux). */
export function serverProcesses(dataDir: string): number[] {
  const cluster = join(dataDir, "postgres", "cluster");
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === cluster;
      } catch {
        return false; // not a process, or gone
      }
    });
}

async function main(dataDir: string, purpose: "serve" | "command"): Promise<void> {
  const say = (reported: Report): void => {
    process.stdout.write(`${JSON.stringify(reported)}\n`);
  };
  try {
    const server = await startEmbedded({
      dataDir,
      purpose,
      log: (line) => say({ kind: "log", line }),
      onFatal: (error) => say({ kind: "fatal", message: error.message }),
    });
    say({ kind: "up", url: server.url, pid: server.pid });
    process.stdin.resume();
    await once(process.stdin, "end");
    await server.stop();
  } catch (error) {
    say({ kind: "refused", message: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
  }
}

if (import.meta.main) {
  const [, , dataDir, purpose] = process.argv;
  if (dataDir === undefined || (purpose !== "serve" && purpose !== "command"))
    throw new Error("usage: embedded-process.ts DATA_DIR serve|command");
  await main(dataDir, purpose);
}

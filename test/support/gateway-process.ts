/**
 * Real gateway processes for tests: started as an operator starts them, watched, and ended by
 * signal or by kill -9.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { tollgateEnvironment, type Settings } from "./tollgate-environment.ts";

const CLI = join(import.meta.dirname, "../../src/main/cli.ts");
const API_CHECK = join(import.meta.dirname, "check-api-answers.ts");
const PANEL_CHECK = join(import.meta.dirname, "check-panel-answers.ts");
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 30_000;
const LINES_SHOWN = 60;

export interface GatewayOptions {
  /** PostgreSQL of the gateway; null for the embedded one in `dataDir`. */
  readonly databaseUrl: string | null;
  /** The catalogue file's text. */
  readonly catalogue: string;
  /** Kept after the test; without it each gateway gets a folder of its own that goes with it. */
  readonly dataDir?: string;
  readonly roles?: string;
  /**
   * Environment variables besides; undefined unsets one. Nothing of the developer's own environment
   * reaches the gateway.
   */
  readonly env?: Settings;
  /** How it is started, where not as `src/main/cli.ts serve` of this project by ourselves. */
  readonly launch?: Launch;
}

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Null: we ourselves. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

/** One line of the gateway's log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: unknown };

export interface Gateway extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly pid: number;
  /** What `tollgate` needs to work on the same database and catalogue as this gateway. */
  readonly env: Settings;
  /** All that it has written so far, both streams. */
  output(): string;
  /** Its log so far; lines that are not JSON are left out. */
  log(): LogLine[];
  /** The first log line, of those so far or to come, that `wanted` accepts. */
  logged(wanted: (line: LogLine) => boolean): Promise<LogLine>;
  signal(name: NodeJS.Signals): void;
  /** Ends it at once, and waits until it is gone. */
  kill(): Promise<void>;
  /**
   * Asks for an orderly end with SIGTERM, and insists on exit code 0. Does nothing when it is gone
   * already by `kill`.
   */
  stop(): Promise<void>;
  /** How it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/**
 * Starts a gateway and waits until it is ready to serve. Fails with what it wrote when it ends
 * before, or is not ready within a minute.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), "gw-"));
  const cataloguePath = join(folder, "catalogue.yaml");
  writeFileSync(cataloguePath, options.catalogue);
  const env: Settings = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: options.dataDir ?? join(folder, "data"),
    CATALOGUE: cataloguePath,
    SHUTDOWN_GRACE_SECONDS: "0",
    DRAIN_SECONDS: "10",
    ...(options.databaseUrl === null ? {} : { DATABASE_URL: options.databaseUrl }),
    ...options.env,
  };
  const args = [
    "--import",
    API_CHECK,
    "--import",
    PANEL_CHECK,
    CLI,
    "serve",
    ...(options.roles === undefined ? [] : ["--roles", options.roles]),
  ];
  // The channel closes with us: a gateway whose test was killed drains and ends by itself.
  const { program, user, ...launch } = options.launch ?? {
    program: process.execPath,
    args,
    cwd: folder,
    user: null,
  };
  const child = spawn(program, launch.args, {
    cwd: launch.cwd,
    env: tollgateEnvironment(env),
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  const written: string[] = [];
  const logLines: LogLine[] = [];
  const waiters = new Set<() => void>();
  const wake = (): void => {
    for (const waiter of [...waiters]) waiter();
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      written.push(line);
      const parsed = parseLine(line);
      if (parsed !== null) logLines.push(parsed);
      if (process.env["TEST_GATEWAY_OUTPUT"] !== undefined)
        process.stderr.write(`[${child.pid}] ${line}\n`);
      wake();
    });
  }
  let over = false;
  let killed = false;
  const ended = (async () => {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    over = true;
    rmSync(folder, { recursive: true, force: true });
    wake();
    return { code, signal };
  })();

  function failure(what: string): Error {
    return new Error(
      `the gateway ${what}; its last lines:\n${written.slice(-LINES_SHOWN).join("\n")}`,
    );
  }

  async function logged(wanted: (line: LogLine) => boolean): Promise<LogLine> {
    const deadline = performance.now() + READY_WITHIN_MS;
    for (;;) {
      const found = logLines.find(wanted);
      if (found !== undefined) return found;
      if (over) throw failure("ended without the awaited log line");
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw failure("did not write the awaited log line in time");
      await anyOf(waiters, leftMs);
    }
  }

  async function kill(): Promise<void> {
    killed = true;
    child.kill("SIGKILL");
    await ended;
  }

  async function stop(): Promise<void> {
    if (killed) return;
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
    const { code, signal } = await ended;
    clearTimeout(late);
    if (code !== 0)
      throw failure(`did not end in order after SIGTERM (${signal ?? `exit code ${code}`})`);
  }

  try {
    const listening = await logged(
      (line) => line.msg === "listening" && typeof line["url"] === "string",
    );
    const url = String(listening["url"]);
    await untilReady(url, () => over, failure);
    const pid = child.pid;
    if (pid === undefined) throw failure("has no process id");
    return {
      url,
      pid,
      env,
      ended,
      output: () => written.join("\n"),
      log: () => [...logLines],
      logged,
      signal: (name) => void child.kill(name),
      kill,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await kill();
    throw error;
  }
}

function parseLine(line: string): LogLine | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as LogLine) : null;
  } catch {
    return null;
  }
}

/** Waits for the next wake-up, or for the time. */
async function anyOf(waiters: Set<() => void>, limitMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  waiters.add(resolve);
  await promise;
  waiters.delete(resolve);
  clearTimeout(timer);
}

async function untilReady(
  url: string,
  isOver: () => boolean,
  failure: (what: string) => Error,
): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    if (isOver()) throw failure("ended before it was ready");
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    if (performance.now() > deadline)
      throw failure(`was not ready in time (/readyz says ${answer?.status ?? "nothing"})`);
    await sleep(50);
  }
}

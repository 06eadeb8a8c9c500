/**
 * Runs the built-in upstream as a process of its own: beside the gateway, where it is brought back
 * when it dies, or alone.
 */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { SANDBOX_PROGRAM } from "./sandbox-program.ts";
import { stopSignal } from "./stop-signal.ts";

export interface SandboxProcess {
  /** `http://127.0.0.1:PORT`, the same over restarts. */
  readonly url: string;
  /** When it listens. Rejects when it ended before; it is started again all the same. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
}

const HOST = "127.0.0.1";
const RESTART_MS = 500;
const STOP_LIMIT_MS = 3_000;
/** For a port that is taken to become free. */
const LEAVING_MS = 2_000;
const POLL_MS = 20;

/** Null: it is taken. 0 is any port. */
async function portIfFree(wanted: number): Promise<number | null> {
  const server = createServer();
  const port = await new Promise<number | null>((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(wanted, HOST, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : null);
    });
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/**
 * The wanted port, or any other when that is taken and stays so: the sandbox of a start that was
 * killed is about to leave it, and tasks that are under way know it by this address.
 */
async function freePort(wanted: number): Promise<number> {
  const until = performance.now() + LEAVING_MS;
  let port = await portIfFree(wanted);
  while (port === null && performance.now() < until) {
    await sleep(POLL_MS);
    port = await portIfFree(wanted);
  }
  port ??= await portIfFree(0);
  if (port === null) throw new Error(`no free port for the sandbox on ${HOST}`);
  return port;
}

/** Resolves when its process begins, so that its caller may be at work until it is `ready`. */
export async function startSandboxProcess(options: {
  readonly port: number;
  /** By which its media tasks outlive it. */
  readonly journalPath: string;
  log(line: string): void;
}): Promise<SandboxProcess> {
  const port = await freePort(options.port);
  if (port !== options.port && options.port !== 0)
    options.log(`port ${options.port} is taken; the sandbox listens on ${port}`);
  let stopping = false;
  let listening = false;
  let child: ChildProcess | null = null;

  function start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const started = fork(
      SANDBOX_PROGRAM,
      ["--port", String(port), "--host", HOST, "--journal", options.journalPath, "--quiet"],
      {
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      },
    );
    child = started;
    listening = false;
    started.stdout?.once("data", () => {
      listening = true;
      resolve();
    });
    started.stderr?.on("data", (chunk: Buffer) => options.log(chunk.toString().trim()));
    started.once("exit", (code) => {
      reject(new Error(`the sandbox ended with code ${code ?? "none"} before it listened`));
      if (stopping) return;
      options.log(`the sandbox ended with code ${code ?? "none"}; starting it again`);
      setTimeout(() => {
        if (!stopping) start().catch((error: unknown) => options.log(String(error)));
      }, RESTART_MS);
    });
    return promise;
  }

  const ready = start();
  // The caller of one that is stopped before it listens does not wait for it any more.
  ready.catch(() => undefined);
  return {
    url: `http://${HOST}:${port}`,
    ready,
    async stop() {
      stopping = true;
      const last = child;
      if (last === null || last.exitCode !== null || last.signalCode !== null) return;
      const ended = new Promise<void>((resolve) => last.once("exit", () => resolve()));
      // Signals to the whole group do not stop it, so that it serves a draining gateway to the end;
      // the end of the channel does. One that does not listen yet hears nothing.
      if (!listening) last.kill("SIGKILL");
      else if (last.connected) last.disconnect();
      const overdue = setTimeout(() => last.kill("SIGKILL"), STOP_LIMIT_MS);
      await ended;
      clearTimeout(overdue);
    },
  };
}

/**
 * `tollgate sandbox`: alone, until a signal to us. Resolves to the exit code when it has ended: by
 * that, or because it cannot listen.
 */
export async function runSandbox(port: number): Promise<number> {
  const child = fork(SANDBOX_PROGRAM, ["--port", String(port)], {
    stdio: "inherit",
  });
  const ended = new Promise<number>((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
  const stop = stopSignal();
  // The end of the channel is its word to stop.
  void stop.wait.then(() => child.connected && child.disconnect());
  const code = await ended;
  stop.forget();
  return code;
}

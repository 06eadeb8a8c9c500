/** One child process that looks into files, what it may do and use, and the watch over it. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { setPriority } from "node:os";
import { Fault } from "../kernel/faults.ts";
import { refuse } from "./media-facts.ts";
import type { DrawnVerdict, ProbeRefusal, ProbeVerdict } from "./media-facts.ts";
import { readProcessFigures } from "./process-figures.ts";
import type { ProcessFigures } from "./process-figures.ts";
import { workerCommand } from "./worker-command.ts";
import type { WorkerLimits } from "./worker-command.ts";
import type { ChildMessage, ParentMessage, WorkerJob } from "./worker-messages.ts";

export interface Job {
  readonly message: WorkerJob;
  /** Null: the worker opens the path itself. */
  readonly read: ((first: number, last: number) => Promise<Uint8Array>) | null;
}

export type JobEnd =
  | {
      readonly kind: "verdict";
      readonly verdict: ProbeVerdict | DrawnVerdict;
      readonly fetched: number;
    }
  /** Not the file's fault. */
  | { readonly kind: "failed"; readonly error: Error }
  /** The process was ended from outside, so the same file may have another try. */
  | { readonly kind: "killed" };

export interface MediaWorker {
  readonly pid: number;
  /** One job at a time. Afterwards `alive` tells whether there can be another. */
  run(job: Job): Promise<JobEnd>;
  alive(): boolean;
  /** Ends the process, in the middle of its job too; done when it is gone. */
  end(): Promise<void>;
}

/**
 * No secret of the gateway. Two threads and two heaps are enough for one file at a time; and the
 * picture library keeps large pictures in memory, which is bounded, instead of writing them to a
 * temporary file, which a worker may not.
 */
const ENVIRONMENT = { UV_THREADPOOL_SIZE: "2", MALLOC_ARENA_MAX: "2", VIPS_DISC_THRESHOLD: "100g" };
const WATCH_MS = 50;
const START_MS = 20_000;
const MAX_RANGE_BYTES = 4 * 1024 * 1024;
const NICENESS = 10;
/** `readable`: folders of files to look into; beyond them the worker reads the program only. */
export async function startMediaWorker(
  limits: WorkerLimits,
  readable: readonly string[],
): Promise<MediaWorker> {
  const [program, ...rest] = workerCommand(limits, readable);
  const child = spawn(program, rest, {
    cwd: "/",
    env: ENVIRONMENT,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
  });
  const exit = watchExit(child);
  const worker = createMediaWorker(child, limits, exit);
  try {
    await started(child, exit);
  } catch (error) {
    await worker.end();
    throw error;
  }
  // The process must not keep the gateway alive when it has nothing to do.
  child.unref();
  child.channel?.unref();
  (child.stderr as Socket | null)?.unref();
  return worker;
}

interface Exit {
  readonly over: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  lastWords(): string;
}

function watchExit(child: ChildProcess): Exit {
  let words = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-2000);
  });
  const { promise: over, resolve } = Promise.withResolvers<{
    code: number | null;
    signal: NodeJS.Signals | null;
  }>();
  child.once("exit", (code, signal) => resolve({ code, signal }));
  child.once("error", (error) => {
    words += error.message;
    resolve({ code: null, signal: null });
  });
  // A message to a process that is just dying: its exit says all there is to say.
  child.on("error", () => undefined);
  return { over, lastWords: () => words };
}

async function started(child: ChildProcess, exit: Exit): Promise<void> {
  const { promise: ready, resolve } = Promise.withResolvers<"ready">();
  child.once("message", () => resolve("ready"));
  const timer = Promise.withResolvers<"late">();
  const timeout = setTimeout(() => timer.resolve("late"), START_MS);
  const first = await Promise.race([ready, exit.over, timer.promise]);
  clearTimeout(timeout);
  if (first === "ready") {
    yieldTo(child.pid);
    return;
  }
  throw new Error(
    `a media worker could not start: ${first === "late" ? "it was too slow" : exit.lastWords().trim()}`,
  );
}

/**
 * Requests go before files where the processor is short; and where memory is, the kernel takes a
 * worker and not the gateway.
 */
function yieldTo(pid: number | undefined): void {
  try {
    setPriority(pid ?? 0, NICENESS);
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {
    // A system without these has none to give.
  }
}

function createMediaWorker(child: ChildProcess, limits: WorkerLimits, exit: Exit): MediaWorker {
  const pid = child.pid ?? 0;
  let alive = true;
  void exit.over.then(() => {
    alive = false;
  });

  function send(message: ParentMessage): void {
    if (child.connected) child.send(message, () => undefined);
  }

  async function run(job: Job): Promise<JobEnd> {
    const { promise: ended, resolve: finish } = Promise.withResolvers<JobEnd>();
    let refusal: ProbeRefusal | null = null;
    let unreadable: Error | null = null;
    let reads = 0;

    function stop(why: ProbeRefusal | Error): void {
      if (why instanceof Error) unreadable = why;
      else refusal = why;
      alive = false;
      child.kill("SIGKILL");
    }

    async function serve(first: number, last: number): Promise<void> {
      reads += 1;
      try {
        const inFile =
          Number.isSafeInteger(first) &&
          Number.isSafeInteger(last) &&
          first >= 0 &&
          first <= last &&
          last < job.message.bytes;
        if (job.read === null || !inFile || last - first >= MAX_RANGE_BYTES)
          throw new Error("a media worker asked for bytes that are not there");
        send({ kind: "bytes", bytes: await job.read(first, last) });
      } catch (error) {
        unreadable = error instanceof Error ? error : new Error(String(error));
        send({ kind: "unreadable" });
      } finally {
        reads -= 1;
      }
    }

    function hear(message: ChildMessage): void {
      if (message.kind === "read") void serve(message.first, message.last);
      if (message.kind !== "done") return;
      if (
        message.cpuMs > limits.lifeCpuMs ||
        message.residentBytes > (limits.residentMegabytes * MEGABYTE) / 2
      )
        alive = false;
      if (message.verdict !== null)
        finish({ kind: "verdict", verdict: message.verdict, fetched: message.fetched });
      else
        finish({
          kind: "failed",
          error:
            unreadable ??
            new Error(`a file could not be read: ${message.problem ?? "nobody knows why"}`),
        });
    }

    const cpuMs = job.message.drawing === null ? limits.cpuMs : limits.jpegCpuMs;
    const before = readProcessFigures(pid);
    const startedAt = performance.now();
    const watch = setInterval(() => {
      const why = overLimit(
        { ...limits, cpuMs },
        before,
        readProcessFigures(pid),
        performance.now() - startedAt,
      );
      // What waits for its source is slow through no fault of the file.
      if (why !== null)
        stop(
          reads > 0 && why.late
            ? new Fault("overloaded", { message: "The file could not be read in time." })
            : why.refusal,
        );
    }, WATCH_MS);
    child.on("message", hear);
    void exit.over.then(({ signal }) => {
      if (unreadable !== null) finish({ kind: "failed", error: unreadable });
      else if (refusal === null && signal === "SIGKILL") finish({ kind: "killed" });
      else finish({ kind: "verdict", verdict: refusal ?? crashed(signal), fetched: 0 });
    });
    send(job.message);
    try {
      return await ended;
    } finally {
      clearInterval(watch);
      child.off("message", hear);
    }
  }

  return {
    pid,
    run,
    alive: () => alive && child.connected,
    async end() {
      alive = false;
      child.ref();
      child.kill("SIGKILL");
      await exit.over;
    },
  };
}

const MEGABYTE = 1024 * 1024;

function overLimit(
  limits: WorkerLimits,
  before: ProcessFigures | null,
  now: ProcessFigures | null,
  wallMs: number,
): { readonly refusal: ProbeRefusal; readonly late: boolean } | null {
  if (now !== null && now.residentBytes > limits.residentMegabytes * MEGABYTE)
    return {
      refusal: refuse(
        "too_hard",
        `The file takes more than ${limits.residentMegabytes} MB of memory to be read.`,
      ),
      late: false,
    };
  if (before !== null && now !== null && now.cpuMs - before.cpuMs > limits.cpuMs)
    return {
      refusal: refuse(
        "too_hard",
        `The file takes more than ${limits.cpuMs / 1000} seconds of work to be read.`,
      ),
      late: false,
    };
  if (wallMs > limits.wallMs)
    return {
      refusal: refuse(
        "too_hard",
        `The file takes more than ${limits.wallMs / 1000} seconds to be read.`,
      ),
      late: true,
    };
  return null;
}

function crashed(signal: NodeJS.Signals | null): ProbeRefusal {
  // The heap's limit ends the process by itself; so does the kernel's limit of data.
  const memory = signal === "SIGABRT" || signal === "SIGTRAP" || signal === "SIGILL";
  return refuse(
    "too_hard",
    memory ? "The file takes more memory than a file may." : "The file brings its reader down.",
  );
}

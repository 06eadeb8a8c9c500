/**
 * A few processes that look into customers' files: started when there is a file, kept warm for the
 * next, replaced when one dies of it.
 */
import { resolve, sep } from "node:path";
import { assert } from "../kernel/assert.ts";
import { Fault } from "../kernel/faults.ts";
import type { DrawnVerdict, ProbeVerdict } from "./media-facts.ts";
import { refuse } from "./media-facts.ts";
import { startMediaWorker } from "./media-worker.ts";
import type { JobEnd, MediaWorker } from "./media-worker.ts";
import type { WorkerLimits } from "./worker-command.ts";
import type { Drawing } from "./worker-messages.ts";

/**
 * `bytes` is the size of the whole file. `path` must lie in one of the readable folders; `read`
 * gives first..last, both inclusive.
 */
export type MediaSource =
  | { readonly bytes: number; readonly path: string }
  | { readonly bytes: number; read(first: number, last: number): Promise<Uint8Array> };

export interface MediaWorkers {
  /**
   * Throws only what is not the file's fault: its source cannot be read (that error), or too many
   * wait (`overloaded`).
   */
  probe(source: MediaSource): Promise<ProbeVerdict>;
  /** JPEG, PNG and WebP as JPEG of at most `maxBytes`. Throws like `probe`. */
  toJpeg(source: MediaSource, limits: { readonly maxBytes: number }): Promise<DrawnVerdict>;
  /** JPEG, PNG and WebP as a PNG of at most `maxBytes` inside a box of pixels. Throws like `probe`. */
  toPng(
    source: MediaSource,
    limits: { readonly maxBytes: number; readonly width: number; readonly height: number },
  ): Promise<DrawnVerdict>;
  /** What waits is refused, what runs is ended, and when this is done no process is left. */
  close(): Promise<void>;
}

export interface MediaWorkersOptions {
  /** Folders whose files may be given by path. */
  readonly readable: readonly string[];
  readonly size?: number;
  /** More files than this do not wait; the next is told to come again. */
  readonly maxWaiting?: number;
  readonly idleMs?: number;
  readonly limits?: Partial<WorkerLimits>;
  /** Told of every look into a file. */
  onLook?(look: MediaLook): void;
}

export interface MediaLook {
  readonly task: "probe" | "jpeg" | "png";
  /** `ok`, the reason of a refusal, or `failed`. */
  readonly outcome: string;
  readonly fetchedBytes: number;
  readonly wallMs: number;
}

/** 100 million pixels of WebP or progressive JPEG are half a gigabyte once decoded. */
const LIMITS: WorkerLimits = {
  cpuMs: 8000,
  jpegCpuMs: 20_000,
  wallMs: 30_000,
  heapMegabytes: 192,
  residentMegabytes: 1024,
  lifeCpuMs: 20_000,
};
const TRIES = 2;

export function createMediaWorkers(options: MediaWorkersOptions): MediaWorkers {
  const { size = 2, maxWaiting = 200, idleMs = 60_000 } = options;
  const limits = { ...LIMITS, ...options.limits };
  const readable = options.readable.map((folder) => resolve(folder));
  const idle: { readonly worker: MediaWorker; readonly timer: NodeJS.Timeout }[] = [];
  const ending = new Set<Promise<void>>();
  const looks = new Set<Promise<unknown>>();
  const busy = new Set<MediaWorker>();
  const waiting: { go(): void; refuse(): void }[] = [];
  let running = 0;
  let closed = false;

  function end(worker: MediaWorker): void {
    const ended = worker.end().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  function rest(worker: MediaWorker): void {
    if (closed || !worker.alive()) {
      end(worker);
      return;
    }
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((other) => other.worker === worker),
        1,
      );
      end(worker);
    }, idleMs);
    timer.unref();
    idle.push({ worker, timer });
  }

  async function takeWorker(): Promise<MediaWorker> {
    for (let rested = idle.pop(); rested !== undefined; rested = idle.pop()) {
      clearTimeout(rested.timer);
      if (rested.worker.alive()) return rested.worker;
      end(rested.worker);
    }
    return startMediaWorker(limits, readable);
  }

  async function turn(): Promise<void> {
    if (closed) throw new Fault("overloaded");
    if (running < size) {
      running += 1;
      return;
    }
    if (waiting.length >= maxWaiting)
      throw new Fault("overloaded", {
        message: "Too many files are being measured. Try again.",
        retryAfterSeconds: 5,
      });
    const { promise, resolve: go, reject } = Promise.withResolvers<undefined>();
    waiting.push({ go: () => go(undefined), refuse: () => reject(new Fault("overloaded")) });
    await promise;
  }

  async function look(source: MediaSource, drawing: Drawing | null): Promise<JobEnd> {
    const path = "path" in source ? resolve(source.path) : null;
    assert(
      path === null || readable.some((folder) => path.startsWith(folder + sep)),
      "media workers read only in the folders they were given",
    );
    await turn();
    try {
      let last: JobEnd = { kind: "killed" };
      for (let attempt = 0; attempt < TRIES && last.kind === "killed" && !closed; attempt++) {
        const worker = await takeWorker();
        busy.add(worker);
        try {
          if (closed) break;
          last = await worker.run({
            message: { kind: "job", bytes: source.bytes, path, drawing },
            read: "path" in source ? null : (first, until) => source.read(first, until),
          });
        } finally {
          busy.delete(worker);
          rest(worker);
        }
      }
      return last;
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next.go();
    }
  }

  async function verdictOf(
    task: MediaLook["task"],
    source: MediaSource,
    drawing: Drawing | null,
  ): Promise<ProbeVerdict | DrawnVerdict> {
    const startedAt = performance.now();
    const report = (outcome: string, fetchedBytes: number): void =>
      options.onLook?.({ task, outcome, fetchedBytes, wallMs: performance.now() - startedAt });
    const looking = look(source, drawing);
    looks.add(looking);
    const ended = await looking.finally(() => looks.delete(looking));
    switch (ended.kind) {
      case "verdict":
        report(ended.verdict.ok ? "ok" : ended.verdict.reason, ended.fetched);
        return ended.verdict;
      case "failed":
        report("failed", 0);
        throw ended.error;
      case "killed":
        report("killed", 0);
        if (closed) throw new Fault("overloaded");
        return refuse("too_hard", "The file brings its reader down.");
    }
  }

  return {
    probe: async (source) => (await verdictOf("probe", source, null)) as ProbeVerdict,
    toJpeg: async (source, { maxBytes }) =>
      (await verdictOf("jpeg", source, { format: "jpeg", maxBytes })) as DrawnVerdict,
    toPng: async (source, box) =>
      (await verdictOf("png", source, { format: "png", ...box })) as DrawnVerdict,
    async close() {
      closed = true;
      for (const waiter of waiting.splice(0)) waiter.refuse();
      for (const { worker, timer } of idle.splice(0)) {
        clearTimeout(timer);
        end(worker);
      }
      for (const worker of busy) end(worker);
      await Promise.allSettled(looks);
      await Promise.all(ending);
    },
  };
}

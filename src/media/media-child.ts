/**
 * The media worker: a process without rights that looks into one customer's file at a time and may
 * die of it.
 */
import { open } from "node:fs/promises";
// Before the first file comes, whose time it would take.
import "file-type";
import { SourceError, createByteSource } from "./byte-source.ts";
import type { ReadRange } from "./byte-source.ts";
import { createImageDecoder } from "./image-decoder.ts";
import type { DrawnVerdict, ProbeVerdict } from "./media-facts.ts";
import { convertFile, probeFile } from "./probe-file.ts";
import type { ChildMessage, ParentMessage, WorkerJob } from "./worker-messages.ts";

function tell(message: ChildMessage): void {
  if (process.connected) process.send?.(message);
}

/** Asks the gateway for ranges, one at a time. */
function createRemoteReader(): { readRange: ReadRange; answer(bytes: Uint8Array | null): void } {
  let waiting: PromiseWithResolvers<Uint8Array> | null = null;
  return {
    readRange(first, last) {
      waiting = Promise.withResolvers();
      tell({ kind: "read", first, last });
      return waiting.promise;
    },
    answer(bytes) {
      if (bytes === null) waiting?.reject(new SourceError("the gateway could not read it"));
      else waiting?.resolve(bytes);
      waiting = null;
    },
  };
}

async function withFile<T>(
  path: string,
  bytes: number,
  work: (readRange: ReadRange) => Promise<T>,
): Promise<T> {
  const file = await open(path).catch((error: unknown) => {
    throw new SourceError(error instanceof Error ? error.message : "it cannot be opened");
  });
  try {
    const { size } = await file.stat();
    if (size !== bytes) throw new SourceError(`it has ${size} bytes, not ${bytes}`);
    return await work(async (first, last) => {
      const { buffer, bytesRead } = await file.read(
        new Uint8Array(last - first + 1),
        0,
        last - first + 1,
        first,
      );
      return buffer.subarray(0, bytesRead);
    });
  } finally {
    await file.close();
  }
}

async function run(job: WorkerJob, remote: ReadRange): Promise<void> {
  let fetched = (): number => 0;
  const look = (readRange: ReadRange): Promise<ProbeVerdict | DrawnVerdict> => {
    const source = createByteSource(job.bytes, readRange);
    fetched = source.fetched;
    return job.drawing === null
      ? probeFile(source, decoder)
      : convertFile(source, job.drawing, decoder);
  };
  let problem: string | null = null;
  const verdict = await (
    job.path === null ? look(remote) : withFile(job.path, job.bytes, look)
  ).catch((error: unknown) => {
    problem = error instanceof Error ? error.message : String(error);
    return null;
  });
  const { user, system } = process.cpuUsage();
  tell({
    kind: "done",
    verdict,
    problem,
    fetched: fetched(),
    cpuMs: (user + system) / 1000,
    residentBytes: process.memoryUsage.rss(),
  });
}

const decoder = createImageDecoder();
const remote = createRemoteReader();

// The word to stop is the gateway's alone; a terminal's Ctrl-C reaches this process too, while the
// gateway still drains.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.on("disconnect", () => process.exit(0));
process.on("message", (message: ParentMessage) => {
  if (message.kind === "bytes") remote.answer(message.bytes);
  else if (message.kind === "unreadable") remote.answer(null);
  else void run(message, remote.readRange);
});
tell({ kind: "ready" });

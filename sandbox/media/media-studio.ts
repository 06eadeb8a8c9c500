/**
 * Makes and measures media in a process of its own, one job at a time, so that the sandbox's
 * answers do not wait and a crash of a codec does not end it.
 */
import { fork, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MeasuredMedia } from "./measure-media.ts";
import type { StudioAnswer, StudioJob } from "./studio-messages.ts";
import type { MediaSpec, SoundSpec } from "./output-spec.ts";

export interface MadeFile {
  readonly path: string;
  readonly bytes: number;
  readonly contentType: string;
}

export interface MediaStudio {
  /**
   * The same file for the same spec, as long as it is kept; made anew when it was let go. Rejects
   * with what a provider would tell.
   */
  make(spec: MediaSpec): Promise<MadeFile>;
  /** Null: the file cannot be read as what it is said to be. */
  measure(path: string, contentType: string): Promise<MeasuredMedia | null>;
  /** A name for a file that its user removes. */
  scratch(): Promise<string>;
  /** Ends the process and removes every file. */
  close(): Promise<void>;
}

export interface MediaStudioOptions {
  /** Films and pictures are kept up to so many bytes, those used last. */
  readonly keepBytes: number;
  /** The process ends after so long without a job. */
  readonly idleMs?: number;
  /** A job that takes longer is given up, with the process. */
  readonly deadlineMs?: number;
  /** Of the process; tests name another. */
  readonly program?: string;
}

interface Pending {
  readonly job: StudioJob;
  readonly settled: PromiseWithResolvers<StudioAnswer>;
}

interface Kept {
  readonly ready: Promise<MadeFile>;
  /** Null: it is still being made. */
  file: MadeFile | null;
}

const PROGRAM = fileURLToPath(new URL("studio-process.ts", import.meta.url));
const FOLDER = /^tollgate-sandbox-\d+-[0-9a-f]+$/;
const LEFT_BEHIND_MS = 24 * 3600 * 1000;

export function createMediaStudio(options: MediaStudioOptions): MediaStudio {
  const { keepBytes, idleMs = 30_000, deadlineMs = 60_000, program = PROGRAM } = options;
  const folder = join(
    tmpdir(),
    `tollgate-sandbox-${process.pid}-${process.hrtime.bigint().toString(16)}`,
  );
  /** The least lately used first. */
  const made = new Map<string, Kept>();
  const queue: Pending[] = [];
  let kept = 0;
  let names = 0;
  let child: ChildProcess | null = null;
  let current: Pending | null = null;
  let timer: NodeJS.Timeout | undefined;
  let ready: Promise<void> | null = null;
  let closed = false;

  const openFolder = (): Promise<void> =>
    (ready ??= removeLeftBehind().then(() =>
      mkdir(folder, { recursive: true }).then(() => undefined),
    ));

  const endChild = (): void => {
    child?.removeAllListeners();
    child?.kill("SIGKILL");
    child = null;
  };

  const finish = (answer: StudioAnswer): void => {
    clearTimeout(timer);
    const done = current;
    current = null;
    done?.settled.resolve(answer);
    next();
  };

  const startChild = (): ChildProcess => {
    const started = fork(program, [], {
      execArgv: [],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    started.on("message", (answer) => finish(answer as StudioAnswer));
    const lost = (): void => {
      if (child === started) child = null;
      if (current !== null) finish({ ok: false, message: "the process that makes media ended" });
    };
    started.once("exit", lost);
    started.once("error", lost);
    return started;
  };

  function next(): void {
    if (current !== null || closed) return;
    current = queue.shift() ?? null;
    if (current === null) {
      // An idle child does not keep the sandbox from ending, and is let go in a while.
      timer = setTimeout(endChild, idleMs).unref();
      child?.unref();
      child?.channel?.unref();
      return;
    }
    clearTimeout(timer);
    child ??= startChild();
    child.ref();
    child.channel?.ref();
    timer = setTimeout(() => {
      endChild();
      finish({ ok: false, message: `making or measuring media took more than ${deadlineMs} ms` });
    }, deadlineMs);
    child.send(current.job);
  }

  const run = async (job: StudioJob): Promise<StudioAnswer> => {
    if (closed) throw new Error("the sandbox is closing");
    const settled = Promise.withResolvers<StudioAnswer>();
    queue.push({ job, settled });
    next();
    return await settled.promise;
  };

  const scratch = async (): Promise<string> => {
    await openFolder();
    return join(folder, `${(names++).toString(36)}.tmp`);
  };

  const makeAnew = async (key: string, spec: MediaSpec): Promise<MadeFile> => {
    const temporary = await scratch();
    const answer = await run({ kind: "make", path: temporary, spec });
    if (!answer.ok) {
      await rm(temporary, { force: true });
      throw new Error(answer.message);
    }
    const path = join(folder, createHash("sha256").update(key).digest("hex"));
    await rename(temporary, path);
    const { size } = await stat(path);
    kept += size;
    return { path, bytes: size, contentType: contentTypeOf(spec) };
  };

  const letGo = async (): Promise<void> => {
    for (const [key, { file }] of made) {
      if (kept <= keepBytes || made.size <= 1) return;
      if (file === null) continue;
      made.delete(key);
      kept -= file.bytes;
      await rm(file.path, { force: true });
    }
  };

  return {
    async make(spec) {
      const key = JSON.stringify(spec);
      const known = made.get(key);
      const entry: Kept = known ?? { ready: makeAnew(key, spec), file: null };
      // The last in the map is the last one used.
      made.delete(key);
      made.set(key, entry);
      if (known !== undefined) return await known.ready;
      try {
        entry.file = await entry.ready;
      } catch (error) {
        made.delete(key);
        throw error;
      }
      await letGo();
      return entry.file;
    },
    async measure(path, contentType) {
      const answer = await run({ kind: "measure", path, contentType });
      return answer.ok ? answer.measured : null;
    },
    scratch,
    async close() {
      closed = true;
      clearTimeout(timer);
      endChild();
      for (const pending of [...(current === null ? [] : [current]), ...queue])
        pending.settled.resolve({ ok: false, message: "the sandbox is closing" });
      queue.length = 0;
      await Promise.allSettled([...made.values()].map((one) => one.ready));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function contentTypeOf(spec: MediaSpec): string {
  if (spec.kind === "sound") return SOUND_TYPES[spec.format];
  return spec.kind === "video" ? "video/mp4" : `image/${spec.format}`;
}

const SOUND_TYPES: Readonly<Record<SoundSpec["format"], string>> = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

/**
 * A sandbox that was killed could not remove its folder; no living sandbox's is that old without a
 * change.
 */
async function removeLeftBehind(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((one) => FOLDER.test(one))) {
    const path = join(tmpdir(), name);
    const changed = await stat(path).catch(() => null);
    if (changed !== null && Date.now() - changed.mtimeMs > LEFT_BEHIND_MS)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

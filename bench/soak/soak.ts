/**
 * One soak: a gateway at half of what it can, slot after slot, a note of everything in each, and
 * its books at the end.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { attachEmbedded } from "#embedded-postgres/attach-embedded.ts";
import type { LoadResult } from "../native/load.ts";
import type { NativePrograms } from "../native/compile-native.ts";
import type { Upstream } from "../native/upstream.ts";
import { THIS_CHECKOUT } from "../peers/checkout.ts";
import type { Audit, Peer } from "../peers/peer.ts";
import { startTollgate } from "../peers/start-tollgate.ts";
import { readDatabaseMemory, readTreeHandles, readTreeMemory } from "../process-tree.ts";
import { createStage } from "../stage.ts";
import { readDatabase, type DatabaseState, type TableState } from "./database-state.ts";
import { findCapacity, runMix, type Paced } from "./mix.ts";
import { watchHeap } from "./watch-heap.ts";

export interface SoakOptions {
  readonly native: NativePrograms;
  readonly upstream: Upstream;
  readonly folder: string;
  readonly seconds: number;
  readonly workers: number;
  readonly signal: AbortSignal;
  say(line: string): void;
}

/** What one slot was like; the process as it was amid its load, the rest as it was behind it. */
export interface Note {
  readonly seconds: number;
  readonly slotSeconds: number;
  /** Good answers of the slot. */
  readonly answers: number;
  readonly refused: number;
  /** Milliseconds of good answers, kind by kind. */
  readonly p50: readonly number[];
  readonly p99: readonly number[];
  readonly memory: ReturnType<typeof readTreeMemory>;
  readonly handles: ReturnType<typeof readTreeHandles>;
  readonly databaseMemory: number;
  readonly heap: number;
  readonly connections: number;
  readonly temporaryFiles: number;
  readonly tables: readonly TableState[];
  readonly logBytes: number;
}

export interface SoakFindings {
  readonly kinds: readonly Paced[];
  readonly notes: readonly Note[];
  readonly audit: Audit | null;
  readonly failures: readonly string[];
}

const NAME = "tollgate";
/** A note each half minute, and six of them in a short soak. */
const SLOT_SECONDS = 30;
const LEAST_SLOTS = 6;
/** Before a slot's end, while it is still under load. */
const NOTE_BEFORE_END_MS = 3000;
const POOL = 2;

export async function soak(options: SoakOptions): Promise<SoakFindings> {
  const { native, upstream, folder, workers, say } = options;
  const failures: string[] = [];
  const started = await startTollgate(
    {
      native,
      upstreamPort: upstream.port,
      folder,
      environment: {},
      against: null,
      say,
    },
    {
      name: NAME,
      title: "Tollgate",
      checkout: THIS_CHECKOUT,
      workers,
      bills: true,
      filledEntries: 0,
    },
  );
  if ("absent" in started) throw new Error(started.absent);
  let found: Pick<SoakFindings, "kinds" | "notes"> = { kinds: [], notes: [] };
  try {
    found = await soakPeer(options, started, failures);
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  }
  say("verifying the ledger");
  const audit = await started.stop();
  return { ...found, audit, failures };
}

async function soakPeer(
  options: SoakOptions,
  started: Peer,
  failures: string[],
): Promise<Pick<SoakFindings, "kinds" | "notes">> {
  const { folder, say, signal } = options;
  const logFile = join(folder, NAME, "tollgate.log");
  // What was answered is told behind each slot: the peer then throws its log away, which is looked
  // at before.
  let untold = 0;
  const peer: Peer = { ...started, answered: (count) => void (untold += count) };
  function tell(): void {
    started.answered(untold);
    untold = 0;
  }
  const stage = createStage({
    native: options.native,
    upstream: options.upstream,
    folder,
    rounds: 1,
    seconds: SLOT_SECONDS,
    quick: false,
    running: new Map([[NAME, peer]]),
    doing: () => signal.throwIfAborted(),
    figure: () => undefined,
    note: say,
    failed: (row, error) => void failures.push(`${row}: ${String(error)}`),
  });
  const url = await attachEmbedded({ dataDir: join(folder, NAME, "data") });
  if (url === null) throw new Error("the embedded PostgreSQL does not answer");
  const db = openDatabase({
    url,
    poolSize: POOL,
    applicationName: "soak",
    onError: () => undefined,
  });
  const heap = watchHeap(`http://127.0.0.1:${peer.port}/metrics`);
  try {
    const kinds = await findCapacity(stage, peer, say);
    const slotSeconds = Math.min(SLOT_SECONDS, Math.floor(options.seconds / LEAST_SLOTS));
    const notes: Note[] = [];
    const began = performance.now();
    const now = (): number => (performance.now() - began) / 1000;
    while (now() < options.seconds - slotSeconds / 2) {
      signal.throwIfAborted();
      tell();
      heap.reset();
      const slotBegan = now();
      const [loads, amid] = await Promise.all([
        runMix(stage, peer, kinds, slotSeconds),
        lookAmid(peer, db, slotSeconds * 1000 - NOTE_BEFORE_END_MS),
      ]);
      await peer.books?.posted();
      const after = await readDatabase(db);
      const note: Note = {
        seconds: now(),
        slotSeconds: now() - slotBegan,
        ...answersOf(loads),
        ...amid,
        heap: heap.lowest(),
        connections: amid.connections,
        temporaryFiles: after.temporaryFiles,
        tables: after.tables,
        logBytes: statSync(logFile).size,
      };
      notes.push(note);
      say(progressLine(note));
    }
    return { kinds, notes };
  } finally {
    tell();
    heap.stop();
    await db.close();
  }
}

async function lookAmid(
  { pid }: Peer,
  db: Db,
  afterMs: number,
): Promise<
  Pick<Note, "memory" | "handles" | "databaseMemory"> & Pick<DatabaseState, "connections">
> {
  await sleep(afterMs);
  if (pid === null) throw new Error("the gateway has no process");
  const { connections } = await readDatabase(db);
  return {
    memory: readTreeMemory(pid),
    handles: readTreeHandles(pid),
    databaseMemory: readDatabaseMemory(pid),
    connections,
  };
}

function answersOf(
  loads: readonly LoadResult[],
): Pick<Note, "answers" | "refused" | "p50" | "p99"> {
  const total = (status: (load: LoadResult) => number): number =>
    loads.reduce((sum, load) => sum + status(load), 0);
  const all = total(({ statuses }) => Object.values(statuses).reduce((sum, each) => sum + each, 0));
  const answers = total(({ statuses }) => statuses["200"] ?? 0);
  return {
    answers,
    refused: all - answers + total(({ unsent }) => unsent),
    p50: loads.map(({ latencyUs }) => latencyUs.p50 / 1000),
    p99: loads.map(({ latencyUs }) => latencyUs.p99 / 1000),
  };
}

const MIB = 2 ** 20;

function progressLine({
  answers,
  slotSeconds,
  refused,
  memory,
  handles,
  heap,
  tables,
  logBytes,
}: Note): string {
  const dead = tables.reduce((sum, { deadRows }) => sum + deadRows, 0);
  const changing = tables.reduce(
    (sum, { changes, tableBytes, indexBytes }) => sum + (changes ? tableBytes + indexBytes : 0),
    0,
  );
  return [
    `${(answers / slotSeconds).toFixed(0)} answers a second, ${refused} refused`,
    `gateway ${(memory.pss / MIB).toFixed(0)} MiB, heap ${(heap / MIB).toFixed(0)} MiB, ${handles.descriptors} descriptors`,
    `tables that change ${(changing / MIB).toFixed(1)} MiB, ${dead} dead rows`,
    `log ${(logBytes / MIB).toFixed(1)} MiB`,
  ].join("; ");
}

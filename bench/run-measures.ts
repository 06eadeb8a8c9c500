/**
 * Runs the measures one after the other, with their peers started before and stopped when no
 * measure needs them any more.
 */
import type { Figure } from "./figure.ts";
import type { Measure } from "./measures/measure.ts";
import type { NativePrograms } from "./native/compile-native.ts";
import type { Upstream } from "./native/upstream.ts";
import type { Checkout } from "./peers/checkout.ts";
import type { Audit, Peer, PeerContext, PeerName } from "./peers/peer.ts";
import { OTHER_CHECKOUT, startPeer } from "./peers/start-peer.ts";
import { readMachineBusyMs, readTreeUse } from "./process-tree.ts";
import { createStage } from "./stage.ts";

export interface Findings {
  readonly figures: readonly Figure[];
  readonly audits: readonly Audit[];
  /** Peers that are not here, remarks of measures, how much others worked meanwhile. */
  readonly notes: readonly string[];
  /** What went wrong; a run with any is not good, whatever its figures say. */
  readonly failures: readonly string[];
}

export interface RunOptions {
  readonly measures: readonly Measure[];
  readonly native: NativePrograms;
  readonly upstream: Upstream;
  readonly folder: string;
  readonly rounds: number;
  /** Of one slot. */
  readonly seconds: number;
  readonly quick: boolean;
  /** Another checkout of Tollgate that takes part. */
  readonly against: Checkout | null;
  /** Aborted, the run ends after what it is doing, and what it has started is stopped. */
  readonly signal: AbortSignal;
  progress(line: string): void;
}

export async function runMeasures(options: RunOptions): Promise<Findings> {
  const { measures, native, upstream, folder, quick } = options;
  const figures: Figure[] = [];
  const audits: Audit[] = [];
  const notes = new Set<string>();
  const failures: string[] = [];
  const running = new Map<PeerName, Peer>();
  const absent = new Set<PeerName>(options.against === null ? ["against"] : []);
  const peersOf = (measure: Measure): readonly PeerName[] =>
    quick ? (measure.quickPeers ?? measure.peers) : measure.peers;
  if (options.against !== null)
    notes.add(`${OTHER_CHECKOUT} is ${options.against.commit ?? "of no known commit"}`);
  let place = "";
  const say = (what: string): void => options.progress(`${place} ${what}`);
  const context: PeerContext = {
    native,
    upstreamPort: upstream.port,
    folder,
    environment: {},
    against: options.against,
    say,
  };

  async function start(name: PeerName): Promise<void> {
    if (running.has(name) || absent.has(name)) return;
    say(`starting ${name}`);
    const peer = await startPeer(name, context);
    if ("absent" in peer) {
      absent.add(name);
      notes.add(`${name} took no part: ${peer.absent}`);
    } else {
      running.set(name, peer);
    }
  }

  async function stop(peer: Peer): Promise<void> {
    running.delete(peer.name);
    say(`stopping ${peer.name}${peer.keys === null ? "" : " and verifying its ledger"}`);
    const audit = await peer.stop();
    if (audit !== null) audits.push(audit);
  }

  /** A peer that does not start is missing in this measure and in all others. */
  async function prepare(measure: Measure): Promise<void> {
    for (const name of peersOf(measure)) {
      const old = running.get(name);
      if (measure.fresh && old !== undefined) await stop(old);
      await start(name).catch((error: unknown) => {
        absent.add(name);
        failures.push(`${name} does not start: ${describe(error)}`);
      });
    }
  }

  function stageFor(measure: Measure): ReturnType<typeof createStage> {
    return createStage({
      native,
      upstream,
      folder,
      rounds: options.rounds,
      seconds: options.seconds,
      quick,
      running,
      doing(what) {
        options.signal.throwIfAborted();
        say(what);
      },
      figure: (figure) => void figures.push(figure),
      note: (text) => void notes.add(text),
      failed(row, error) {
        options.signal.throwIfAborted();
        failures.push(`${measure.name}: ${row} was left out: ${describe(error)}`);
      },
    });
  }

  try {
    for (const [index, measure] of measures.entries()) {
      place = `[${index + 1}/${measures.length}] ${measure.name}:`;
      await prepare(measure);
      const watch = watchOthers();
      await measure.run(stageFor(measure)).catch((error: unknown) => {
        options.signal.throwIfAborted();
        failures.push(`${measure.name}: ${describe(error)}`);
      });
      notes.add(
        `${measure.name}: other work on the machine took ${watch.others().toFixed(2)} cores meanwhile`,
      );
      const later = new Set(measures.slice(index + 1).flatMap(peersOf));
      for (const peer of [...running.values()]) if (!later.has(peer.name)) await stop(peer);
    }
  } catch (error) {
    failures.push(describe(error));
  } finally {
    place = "at the end:";
    for (const peer of [...running.values()]) {
      await stop(peer).catch((error: unknown) =>
        failures.push(`${peer.name} did not stop in order: ${describe(error)}`),
      );
    }
  }
  return { figures, audits, notes: [...notes], failures };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** How many cores worked for others than us: every peer runs below this process. */
function watchOthers(): { others(): number } {
  const look = (): number => {
    const { ownMs, databaseMs } = readTreeUse(process.pid);
    return readMachineBusyMs() - ownMs - databaseMs;
  };
  const beforeMs = look();
  const startMs = performance.now();
  return { others: () => Math.max(0, (look() - beforeMs) / (performance.now() - startMs)) };
}

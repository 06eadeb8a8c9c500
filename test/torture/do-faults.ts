/** Carries out a plan of faults on the processes of a run, and counts what really happened. */
import { setTimeout as sleep } from "node:timers/promises";
import type { TortureDatabase } from "./database-server.ts";
import type { Fleet } from "./fleet.ts";
import type { Fault, FaultKind } from "./plan.ts";
import { troubleOf, type Trouble } from "./troubles.ts";

export interface FaultCounts {
  /** How often each was done. */
  readonly done: Map<FaultKind, number>;
  /** Planned, but what it was about was away or halted already, or is not to be had here. */
  skipped: number;
}

export interface FaultStage {
  readonly fleet: Fleet;
  readonly database: TortureDatabase;
  nowMs(): number;
  readonly running: boolean;
  /** The next client whose stream has so many pieces gets its gateway killed. */
  setAmbush(after: number, onPiece: (gateway: number) => void): void;
  say(line: string): void;
}

export interface FaultWork {
  readonly counts: FaultCounts;
  /** Those that were done, in time. */
  readonly troubles: readonly Trouble[];
  /** Resolves when the plan is through, or the run is over, and all that fell was put up again. */
  readonly done: Promise<void>;
}

export function doFaults(stage: FaultStage, plan: readonly Fault[]): FaultWork {
  const counts: FaultCounts = { done: new Map(), skipped: 0 };
  const troubles: Trouble[] = [];
  const pending: Promise<void>[] = [];

  function count(fault: Fault, happened: boolean, gateway: number): void {
    if (happened) {
      counts.done.set(fault.kind, (counts.done.get(fault.kind) ?? 0) + 1);
      const trouble = troubleOf(fault, gateway, stage.nowMs());
      if (trouble !== null) troubles.push(trouble);
    } else counts.skipped += 1;
    const what = happened ? "" : " (passed over)";
    stage.say(
      `${(stage.nowMs() / 1000).toFixed(1)} s: ${fault.kind}, gateway ${gateway}, ${fault.forMs} ms${what}`,
    );
  }

  async function begin(): Promise<void> {
    for (const fault of plan) {
      const waitMs = fault.atMs - stage.nowMs();
      if (waitMs > 0) await sleep(waitMs);
      if (!stage.running) break;
      pending.push(
        doFault(stage, fault, (happened, gateway = fault.gateway) =>
          count(fault, happened, gateway),
        ).catch((error: unknown) => {
          throw new Error(`${fault.kind} could not be done`, { cause: error });
        }),
      );
    }
    await Promise.all(pending);
  }
  return { counts, troubles, done: begin() };
}

async function doFault(
  stage: FaultStage,
  fault: Fault,
  count: (happened: boolean, gateway?: number) => void,
): Promise<void> {
  const { fleet, database } = stage;
  const { gateway, forMs, after } = fault;
  const proxy = fleet.proxyOf(gateway);
  const aboutGateway = !["kill-backend", "kill-server", "disk-full"].includes(fault.kind);
  if (aboutGateway && !fleet.isUp(gateway)) return count(false);
  switch (fault.kind) {
    case "kill-gateway":
      count(true);
      return fleet.kill(gateway, forMs);
    case "kill-mid-stream":
      return new Promise((resolve, reject) => {
        stage.setAmbush(after, (serving) => {
          count(true, serving);
          fleet.kill(serving, forMs).then(resolve, reject);
        });
        void untilOver(stage).then(resolve);
      });
    case "kill-before-statement":
    case "kill-after-statement":
      return new Promise((resolve, reject) => {
        proxy.setTrap({
          after,
          at: fault.kind === "kill-before-statement" ? "before" : "answer",
          spring() {
            count(true);
            fleet.kill(gateway, forMs).then(resolve, reject);
          },
        });
        void untilOver(stage).then(resolve);
      });
    case "lost-answer":
      return proxy.setTrap({ after, at: "answer", spring: () => count(true) });
    case "kill-serving-process":
      return count(fleet.killServingProcess(gateway));
    case "kill-backend":
      return count((await database.faults?.killBackend()) ?? false);
    case "kill-server":
      count(database.faults !== null);
      return database.faults?.killServer();
    case "pause":
      count(true);
      return fleet.pause(gateway, forMs);
    case "clock":
      count(true);
      return fleet.moveClock(gateway, fault.byMs);
    case "cut":
      count(true);
      return proxy.cut();
    case "latency":
      count(true);
      return during(forMs, (on) => proxy.setLatency(on ? fault.byMs : 0));
    case "stall":
      count(true);
      return during(forMs, proxy.stall);
    case "outage":
      count(true);
      return during(forMs, (on) => {
        for (let index = 0; index < fleet.size; index++) fleet.proxyOf(index).refuse(on);
      });
    case "disk-full": {
      const disk = database.faults?.disk ?? null;
      count(disk !== null);
      if (disk === null) return;
      disk.fill();
      await sleep(forMs);
      return disk.makeRoom();
    }
  }
}

async function during(forMs: number, turn: (on: boolean) => void): Promise<void> {
  turn(true);
  await sleep(forMs);
  turn(false);
}

/** A trap that nothing springs is no reason to wait. */
async function untilOver(stage: Pick<FaultStage, "running">): Promise<void> {
  while (stage.running) await sleep(100);
}

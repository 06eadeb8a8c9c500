/**
 * The gateway processes of a run: each with its own way to the database, killed, halted, moved in
 * time, and started again.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startGateway, type Gateway } from "../support/gateway-process.ts";
import type { Settings } from "../support/tollgate-environment.ts";
import { childrenOf } from "./children-of.ts";
import { startPostgresProxy, type PostgresProxy, type ProxyTarget } from "./postgres-proxy.ts";

const CLI = join(import.meta.dirname, "../../src/main/cli.ts");
const MOVE_CLOCK = join(import.meta.dirname, "move-clock.ts");

export interface FleetOptions {
  readonly gateways: number;
  readonly target: ProxyTarget;
  readonly catalogue: string;
  readonly folder: string;
  readonly env: Settings;
  /** Modules that are loaded before the gateway's own. */
  readonly imports: readonly string[];
}

export interface Fleet {
  readonly size: number;
  /** Null: it is not there now. */
  urlOf(index: number): string | null;
  proxyOf(index: number): PostgresProxy;
  /** Whether it is there and runs. */
  isUp(index: number): boolean;
  /** kill -9, and a new one when the time is over. */
  kill(index: number, awayMs: number): Promise<void>;
  /** kill -9 of one of its serving processes; its primary has to replace it. False: it has none. */
  killServingProcess(index: number): boolean;
  pause(index: number, forMs: number): Promise<void>;
  /** Moves its time of day, as far as a process has one of its own. */
  moveClock(index: number, byMs: number): void;
  /** All are there, run, and reach their database. */
  heal(): Promise<void>;
  /** Orderly, insisting on exit code 0. */
  stop(): Promise<void>;
  /** At once. */
  abandon(): Promise<void>;
}

interface Member {
  readonly index: number;
  readonly proxy: PostgresProxy;
  readonly clockPath: string;
  gateway: Gateway | null;
  halted: boolean;
  clockMs: number;
  starting: Promise<void> | null;
}

export async function openFleet(options: FleetOptions): Promise<Fleet> {
  mkdirSync(join(options.folder, "cwd"), { recursive: true });
  let closing = false;
  const members = await Promise.all(
    Array.from({ length: options.gateways }, async (_, index): Promise<Member> => {
      const proxy = await startPostgresProxy(options.target);
      const clockPath = join(options.folder, `clock-${index}`);
      return {
        index,
        proxy,
        clockPath,
        gateway: null,
        halted: false,
        clockMs: 0,
        starting: null,
      };
    }),
  );

  const member = (index: number): Member => {
    const found = members[index];
    if (found === undefined) throw new Error(`there is no gateway ${index}`);
    return found;
  };

  async function launch(of: Member): Promise<Gateway> {
    const imports = [MOVE_CLOCK, ...options.imports].flatMap((path) => ["--import", path]);
    return startGateway({
      databaseUrl: `${of.proxy.url}?application_name=torture-${of.index}`,
      catalogue: options.catalogue,
      dataDir: join(options.folder, `data-${of.index}`),
      env: {
        TORTURE_CLOCK: of.clockPath,
        // One of them is several processes on one port.
        WORKERS: of.index === 0 && options.gateways > 2 ? "2" : "1",
        ...options.env,
      },
      launch: {
        program: process.execPath,
        args: [...imports, CLI, "serve"],
        cwd: join(options.folder, "cwd"),
        user: null,
      },
    });
  }

  /** A database that is away ends a start: it is tried again, as a service manager would. */
  function start(of: Member): Promise<void> {
    of.starting ??= (async () => {
      while (!closing) {
        of.gateway = await launch(of).catch(() => null);
        if (of.gateway !== null) break;
        await sleep(500);
      }
      of.starting = null;
    })();
    return of.starting;
  }

  async function kill(index: number, awayMs: number): Promise<void> {
    const of = member(index);
    const { gateway } = of;
    if (gateway === null) return;
    of.gateway = null;
    for (const pid of servingPids(gateway)) signal(pid, "SIGKILL");
    await gateway.kill();
    of.halted = false;
    await sleep(awayMs);
    await start(of);
  }

  await Promise.all(members.map(async (of) => (of.gateway = await launch(of))));
  return {
    size: members.length,
    urlOf: (index) => member(index).gateway?.url ?? null,
    proxyOf: (index) => member(index).proxy,
    isUp: (index) => member(index).gateway !== null && !member(index).halted,
    kill,
    killServingProcess(index) {
      const { gateway } = member(index);
      if (gateway === null) return false;
      const pids = servingPids(gateway).filter((pid) => pid !== gateway.pid);
      return pids.some((pid) => signal(pid, "SIGKILL"));
    },
    async pause(index, forMs) {
      const of = member(index);
      const { gateway } = of;
      if (gateway === null) return;
      const pids = servingPids(gateway);
      of.halted = true;
      for (const pid of pids) signal(pid, "SIGSTOP");
      await sleep(forMs);
      if (of.gateway !== gateway) return;
      for (const pid of servingPids(gateway)) signal(pid, "SIGCONT");
      of.halted = false;
    },
    moveClock(index, byMs) {
      const of = member(index);
      of.clockMs += byMs;
      writeFileSync(of.clockPath, String(of.clockMs));
      if (of.gateway === null) return;
      for (const pid of servingPids(of.gateway)) signal(pid, "SIGUSR2");
    },
    async heal() {
      for (const { proxy } of members) {
        proxy.setLatency(0);
        proxy.stall(false);
        proxy.refuse(false);
      }
      await Promise.all(members.filter(({ gateway }) => gateway === null).map(start));
    },
    async stop() {
      closing = true;
      await Promise.all(members.map(async ({ gateway }) => gateway?.stop()));
      await Promise.all(members.map(({ proxy }) => proxy.close()));
    },
    async abandon() {
      closing = true;
      await Promise.all(members.map(async ({ gateway }) => gateway?.kill()));
      await Promise.all(members.map(({ proxy }) => proxy.close()));
    },
  };
}

/**
 * Its own id and those of what serves for it, as its log has them; only what still is its child, as
 * the number of a process that is gone is soon another's.
 */
function servingPids(gateway: Gateway): number[] {
  const children = new Set(childrenOf(gateway.pid));
  const serving = gateway
    .log()
    .flatMap((line) =>
      line.msg === "listening" && typeof line["pid"] === "number" ? [line["pid"]] : [],
    );
  return [gateway.pid, ...new Set(serving.filter((pid) => children.has(pid)))];
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

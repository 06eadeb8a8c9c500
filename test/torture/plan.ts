/** The plan of faults of one run: what breaks, when, where and for how long, by the seed alone. */
import { chanceOf, type Chance } from "./seeded.ts";

export const FAULT_KINDS = [
  "kill-gateway",
  "kill-mid-stream",
  "kill-before-statement",
  "kill-after-statement",
  "kill-serving-process",
  "kill-backend",
  "kill-server",
  "pause",
  "clock",
  "cut",
  "lost-answer",
  "latency",
  "stall",
  "outage",
  "disk-full",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly atMs: number;
  readonly kind: FaultKind;
  /** Which gateway, where it is about one. */
  readonly gateway: number;
  /** How long it lasts, where it lasts: until it goes on, comes back, or is started again. */
  readonly forMs: number;
  /** Of `clock`: how far it jumps. Of `latency`: what each piece waits. */
  readonly byMs: number;
  /** How many questions to the database, or pieces of a stream, pass before it. */
  readonly after: number;
}

export interface PlanOptions {
  readonly seed: number;
  readonly gateways: number;
  /** Faults begin within this time. */
  readonly forMs: number;
  /** Between two faults, on the average. */
  readonly gapMs: number;
  /** Of a process that stands still. */
  readonly longestPauseMs: number;
  readonly kinds: readonly [FaultKind, ...(readonly FaultKind[])];
}

const FIRST_FAULT_MS = 1_500;
const CLOCK_JUMPS_MS = [-86_400_000, -3_600_000, -45_000, 45_000, 3_600_000, 86_400_000] as const;

/** A run is too short for chance to be fair: every kind comes once before any comes again. */
export function planFaults(options: PlanOptions): Fault[] {
  const chance = chanceOf(options.seed, "faults");
  const faults: Fault[] = [];
  let waiting: FaultKind[] = [];
  let atMs = FIRST_FAULT_MS;
  while (atMs < options.forMs) {
    if (waiting.length === 0) waiting = shuffled(options.kinds, chance);
    const kind = waiting.pop() ?? options.kinds[0];
    faults.push({
      atMs,
      kind,
      gateway: chance.between(0, options.gateways - 1),
      forMs: durationOf(kind, options.longestPauseMs, chance),
      byMs: kind === "clock" ? chance.oneOf(CLOCK_JUMPS_MS) : chance.between(5, 120),
      after: chance.between(1, 12),
    });
    atMs += Math.round(options.gapMs * (0.5 + chance.between(0, 100) / 100));
  }
  return faults;
}

function durationOf(kind: FaultKind, longestPauseMs: number, chance: Chance): number {
  if (kind === "pause")
    return chance.percent(50)
      ? chance.between(200, Math.min(3_000, longestPauseMs))
      : chance.between(Math.round(longestPauseMs / 2), longestPauseMs);
  if (kind === "disk-full") return chance.between(500, 2_000);
  return chance.between(200, 2_500);
}

function shuffled(kinds: readonly FaultKind[], chance: Chance): FaultKind[] {
  const left = [...kinds];
  const order: FaultKind[] = [];
  while (left.length > 0) order.push(...left.splice(chance.between(0, left.length - 1), 1));
  return order;
}

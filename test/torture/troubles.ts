/**
 * What was wrong with a gateway, and when: by it the auditor knows how long an answer was under way
 * while its process ran and reached its database, which is what a kill may give away.
 */
import type { Fault, FaultKind } from "./plan.ts";

export interface Trouble {
  /** Null: all of them. */
  readonly gateway: number | null;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Its process ended or stood still. Else it ran, and could not be sure of its database. */
  readonly halts: boolean;
}

const HALTS: ReadonlySet<FaultKind> = new Set([
  "kill-gateway",
  "kill-mid-stream",
  "kill-before-statement",
  "kill-after-statement",
  "kill-serving-process",
  "pause",
]);
/** These are not about one gateway, whatever the plan says. */
const OF_ALL: ReadonlySet<FaultKind> = new Set([
  "outage",
  "disk-full",
  "kill-backend",
  "kill-server",
]);
/** An answer that is lost is waited for. */
const LOST_ANSWER_MS = 8_000;
/** A server that was killed goes through its log first. */
const SERVER_AWAY_MS = 5_000;
/** Until a connection is there again, with the page that was under way. */
const RECONNECTS_MS = 1_000;

export function troubleOf({ kind, forMs }: Fault, gateway: number, fromMs: number): Trouble | null {
  if (kind === "clock") return null;
  const halts = HALTS.has(kind);
  return {
    gateway: OF_ALL.has(kind) ? null : gateway,
    fromMs,
    untilMs: fromMs + (halts ? forMs : lastsMs(kind, forMs) + RECONNECTS_MS),
    halts,
  };
}

function lastsMs(kind: FaultKind, forMs: number): number {
  if (kind === "lost-answer") return LOST_ANSWER_MS;
  if (kind === "kill-server") return SERVER_AWAY_MS;
  return kind === "cut" || kind === "kill-backend" ? 0 : forMs;
}

/**
 * How long a request that began at that time was under way in a gateway that ran and reached its
 * database, until the gateway was halted; null where nothing has halted it since.
 */
export function undisturbedMs(
  troubles: readonly Trouble[],
  gateway: number,
  beganMs: number,
): number | null {
  const own = troubles.filter((trouble) => (trouble.gateway ?? gateway) === gateway);
  const haltedMs = Math.min(
    ...own.filter(({ halts, untilMs }) => halts && untilMs >= beganMs).map(({ fromMs }) => fromMs),
  );
  if (haltedMs === Infinity) return null;
  let fromMs = beganMs;
  let sumMs = 0;
  const doubts = own.filter(({ halts }) => !halts).toSorted((a, b) => a.fromMs - b.fromMs);
  for (const doubt of doubts) {
    sumMs += Math.max(0, Math.min(doubt.fromMs, haltedMs) - fromMs);
    fromMs = Math.max(fromMs, doubt.untilMs);
  }
  return sumMs + Math.max(0, haltedMs - fromMs);
}

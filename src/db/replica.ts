/**
 * A standby that may be read from instead of the primary while it is near enough, and passed over
 * while it is not.
 */
import type { Queryable } from "./database.ts";
import { createPositionLog } from "./position-log.ts";
import {
  readPrimaryPlace,
  readStandbyPlace,
  replicaMistake,
  type ReplicaMistake,
} from "./replica-state.ts";

/** Why it is passed over: it does not answer, is too far behind, or is no replica of this database. */
export const REPLICA_TROUBLES = [
  "away",
  "behind",
  "not_a_standby",
  "another_cluster",
  "another_database",
  "another_timeline",
] as const satisfies readonly (ReplicaMistake | "away" | "behind")[];
export type ReplicaTrouble = (typeof REPLICA_TROUBLES)[number];

export interface Replica {
  /**
   * For all statements of one answer: reads there, and from the first failure on from the primary.
   * Null: it is passed over.
   */
  reading(): Queryable | null;
  /**
   * `lagMs`: how old what is read there is at most; null where that is not known. `trouble` null: it
   * is read from.
   */
  state(): { readonly lagMs: number | null; readonly trouble: ReplicaTrouble | null };
  /** To be called again and again; rejects where the primary or the replica does not answer. */
  look(): Promise<void>;
}

export interface ReplicaDeps {
  readonly primary: Queryable;
  /** The ways to the replica, encrypted and not, as its address allows; the next where one fails. */
  readonly ways: readonly [Queryable, ...Queryable[]];
  readonly maxLagMs: number;
  /** Of a clock that is never set. */
  nowMs(): number;
  /** Hears of statements that failed there and went to the primary. */
  onError(error: unknown): void;
}

export function createReplica({ primary, ways, maxLagMs, nowMs, onError }: ReplicaDeps): Replica {
  const log = createPositionLog();
  let way = 0;
  const replica = (): Queryable => ways[way % ways.length] ?? ways[0];
  /** All that was committed before is there. */
  let reachedMs: number | null = null;
  let found: ReplicaMistake | "away" | null = "away";

  function pass(trouble: ReplicaMistake | "away"): void {
    [found, reachedMs] = [trouble, null];
  }

  function state(): ReturnType<Replica["state"]> {
    const lagMs = reachedMs === null ? null : nowMs() - reachedMs;
    // It grows by itself while it is not looked at, so that an old look vouches for nothing.
    const behind = lagMs === null || lagMs > maxLagMs ? "behind" : null;
    return { lagMs, trouble: found ?? behind };
  }

  return {
    state,
    reading() {
      if (state().trouble !== null) return null;
      return readThrough(replica(), primary, (error) => {
        pass("away");
        onError(error);
      });
    },
    async look() {
      const askedMs = nowMs();
      const there = await readPrimaryPlace(primary);
      log.note(there.position, askedMs);
      try {
        const here = await readStandbyPlace(replica());
        const mistake = replicaMistake(there, here);
        if (mistake !== null) return pass(mistake);
        [found, reachedMs] = [null, log.reachedMs(here.position ?? 0n)];
      } catch (error) {
        pass("away");
        way++;
        throw error;
      }
    },
  };
}

/**
 * Reads from the one until it fails, then from the other for good. Never back: what was read last is
 * never older than what was read first, which lists that are put together of two questions rely on.
 */
export function readThrough(
  replica: Queryable,
  primary: Queryable,
  onFailed: (error: unknown) => void,
): Queryable {
  let failed = false;
  return {
    async run(statement, parameters) {
      if (!failed) {
        try {
          return await replica.run(statement, parameters);
        } catch (error) {
          if (!failed) onFailed(error);
          failed = true;
        }
      }
      return primary.run(statement, parameters);
    },
  };
}

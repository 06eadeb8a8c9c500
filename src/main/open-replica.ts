/**
 * Composition of the replica that lists of the panel may be read from: the ways to it, who looks after
 * it, and what /metrics tells of it.
 */
import { openDatabase } from "../db/database.ts";
import { createReplica, REPLICA_TROUBLES, type Replica } from "../db/replica.ts";
import { sslTries } from "../db/ssl-mode.ts";
import { repeat } from "../process/repeat.ts";
import { StartRefused } from "../process/start-refused.ts";
import type { Parts } from "./parts.ts";

export interface OpenReplica extends Replica {
  close(): Promise<void>;
}

/** Lists and exports alone come here. */
const POOL_SIZE = 4;
/** As the primary's. */
const ANSWER_WITHIN_MS = 12_000;
const LOOK_MS = 1_000;

/** Null: none is set. One that is away at the start is found when it is there. */
export function openReplica({ config, db, metrics, onError }: Parts): OpenReplica | null {
  if (config.databaseReplicaUrl === null) return null;
  const open = (url: string) =>
    openDatabase({
      url,
      poolSize: POOL_SIZE,
      answerWithinMs: ANSWER_WITHIN_MS,
      applicationName: "tollgate lists",
      use: "reading",
      onError: (error) => onError("a connection to the replica broke", error),
    });
  const [first, ...others] = waysTo(config.databaseReplicaUrl);
  const ways = [open(first), ...others.map(open)] as const;
  const replica = createReplica({
    primary: db,
    ways,
    maxLagMs: config.databaseReplicaLagSeconds * 1000,
    nowMs: () => performance.now(),
    onError: (error) => onError("a list could not be read from the replica", error),
  });
  metrics.watch({
    name: "replica_lag_seconds",
    help: "How old what is read from the replica is at most; absent where that is not known.",
    label: "replica",
    together: "max",
    read() {
      const { lagMs } = replica.state();
      return new Map<string, number>(lagMs === null ? [] : [["lists", lagMs / 1000]]);
    },
  });
  metrics.watch({
    name: "replica_passed_over",
    help: "1 where lists are read from the primary, by the reason.",
    label: "reason",
    together: "max",
    read() {
      const { trouble } = replica.state();
      return new Map(REPLICA_TROUBLES.map((each) => [each, each === trouble ? 1 : 0] as const));
    },
  });
  const looking = repeat(onError, {
    "the replica could not be looked at": [LOOK_MS, () => replica.look()],
  });
  return {
    ...replica,
    async close() {
      await looking.stop();
      await Promise.all(ways.map((way) => way.close()));
    },
  };
}

function waysTo(url: string): readonly [string, ...string[]] {
  try {
    const [first = url, ...others] = sslTries(url);
    return [first, ...others];
  } catch (cause) {
    throw new StartRefused(
      `DATABASE_REPLICA_URL: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}

/**
 * Keeps to how many tasks an upstream takes in a time and at once, in all processes together, and
 * lets those that wait come back one by one.
 */
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { Tx } from "../../db/database.ts";
import type { LeasedTask } from "../../tasks/jobs.store.ts";
import { takeTurn } from "../../tasks/submit-turns.store.ts";

/** Submissions do not all take equally long to arrive: so much the upstream's time is stretched. */
const STRETCHED = 1.05;
/** Of that time; a task that has just come looks again as soon as this after the next turn. */
const LEAST_SPREAD = 0.1;
const LONGEST_SPREAD_MS = 60_000;
/**
 * Where only the number of running tasks is bounded, so much for each of the account's that waits.
 */
const SPREAD_OF_EACH_MS = 100;
/** For an account's only task: it is the next, and comes when the turn does. */
const FIRST_SPREAD_MS = 50;

/**
 * 0: it may be submitted when `tx` commits. Else the milliseconds until it should be tried again.
 */
export async function turnMs(
  tx: Tx,
  { name, submitRate, maxRunning }: Pick<UpstreamConfig, "name" | "submitRate" | "maxRunning">,
  {
    task,
    random,
  }: {
    readonly task: Pick<LeasedTask, "taskId" | "accountId" | "phaseMs">;
    readonly random: () => number;
  },
): Promise<number> {
  if (submitRate === undefined && maxRunning === undefined) return 0;
  const { taskId, accountId, phaseMs } = task;
  const rate =
    submitRate === undefined
      ? null
      : { count: submitRate.count, windowMs: submitRate.seconds * 1_000 * STRETCHED };
  const { waitMs, mine, accounts } = await takeTurn(tx, {
    upstream: name,
    taskId,
    accountId,
    rate,
    maxRunning: maxRunning ?? null,
  });
  if (waitMs === 0) return 0;
  if (mine <= 1) return waitMs + random() * FIRST_SPREAD_MS;
  // All of an account's that wait would come at its next turn. What has waited long may wait a
  // while more, so that a long queue costs few looks.
  const drainedMs =
    rate === null ? mine * SPREAD_OF_EACH_MS : (rate.windowMs * (mine - 1) * accounts) / rate.count;
  const spreadMs = Math.min(
    LONGEST_SPREAD_MS,
    drainedMs,
    Math.max((rate?.windowMs ?? LONGEST_SPREAD_MS) * LEAST_SPREAD, phaseMs),
  );
  return waitMs + random() * spreadMs;
}

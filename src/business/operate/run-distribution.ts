/**
 * Runs the plan of a distribution: alone, statement by statement, each in a transaction of its own and
 * without effect where its work is done. What breaks off is completed by running it again.
 */
import type { Db } from "../../db/database.ts";
import { isLockNotHad } from "../../db/database-errors.ts";
import type { Mismatch } from "../../ledger/verify.store.ts";
import { recordAction } from "./audit.store.ts";
import { readCitusState } from "./citus.store.ts";
import {
  booksRefusals,
  findRefusals,
  gatewaysAlive,
  type OwnMigrations,
} from "./distribution-refusals.ts";
import { leaveDistributorPlace, runStep, takeDistributorPlace } from "./distribution-run.store.ts";
import { distributionState } from "./distribution-state.ts";
import type { PlannedStep } from "./distribution-steps.store.ts";
import type { Actor } from "./operator.ts";
import { planDistribution, type DistributionPlan } from "./plan-distribution.ts";
import { readTables } from "./tables.store.ts";
import { verifyLedger } from "./verify-ledger.ts";

export interface DistributionDeps {
  /** Of one connection, which holds the distributor's place. */
  readonly db: Db;
  readonly actor: Actor;
  readonly migrations: OwnMigrations;
  /** Before each thing that takes its time. `step` counts from 1; null: not one of the plan. */
  onProgress(what: string, step: { readonly nth: number; readonly of: number } | null): void;
  sleep(ms: number): Promise<unknown>;
}

export type DistributionOutcome =
  /** Nothing was changed. */
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  /** Another one is at work. */
  | { readonly kind: "busy" }
  /** Statements before this one are done, and stay so. */
  | {
      readonly kind: "stopped";
      readonly nth: number;
      readonly of: number;
      readonly sql: string;
      readonly reason: string;
    }
  | {
      readonly kind: "done";
      /** Statements that were run; 0: all was done before. */
      readonly steps: number;
      /** What does not agree afterwards. */
      readonly mismatches: readonly Mismatch[];
      /** Why that could not be asked; null: it was. */
      readonly unverified: string | null;
      readonly unsolved: readonly string[];
    };

type Planned = Extract<DistributionPlan, { kind: "planned" }>;

/** All tries of one statement together: a backup may be reading the table. */
const LOCK_TRIES = 120;
const LOCK_PAUSE_MS = 2_000;

export async function runDistribution(
  deps: DistributionDeps,
  shards: number,
): Promise<DistributionOutcome> {
  const { db } = deps;
  if (!(await takeDistributorPlace(db))) return { kind: "busy" };
  try {
    const { plan, begun } = await look(deps, shards);
    if (plan.kind === "refused") return plan;
    if (!begun) {
      deps.onProgress("the books are verified first", null);
      const reasons = await booksRefusals(db);
      if (reasons.length > 0) return { kind: "refused", reasons };
    }
    const steps = plan.complete ? [] : plan.steps;
    for (const [at, step] of steps.entries()) {
      const reason = await takeStep(deps, step, at, plan, shards);
      if (reason !== null)
        return { kind: "stopped", nth: at + 1, of: steps.length, sql: step.sql, reason };
    }
    deps.onProgress("the books are verified again", null);
    return { kind: "done", steps: steps.length, unsolved: plan.unsolved, ...(await verified(db)) };
  } finally {
    await leaveDistributorPlace(db).catch(() => undefined);
  }
}

async function look(
  { db, migrations }: Pick<DistributionDeps, "db" | "migrations">,
  shards: number,
): Promise<{ readonly plan: DistributionPlan; readonly begun: boolean }> {
  const [tables, citus] = [await readTables(db), await readCitusState(db)];
  const plan = planDistribution(tables, citus, shards);
  const reasons = await findRefusals(db, tables, citus, migrations);
  const { spread, unfinished } = distributionState(tables, citus);
  const begun = spread > 0 || unfinished.length > 0;
  if (reasons.length === 0) return { plan, begun };
  const planned = plan.kind === "refused" ? plan.reasons : [];
  return { plan: { kind: "refused", reasons: [...planned, ...reasons] }, begun };
}

/** Null: it is done. Else why it is not. */
async function takeStep(
  deps: DistributionDeps,
  step: PlannedStep,
  at: number,
  { steps }: Pick<Planned, "steps">,
  shards: number,
): Promise<string | null> {
  const { db, actor, onProgress, sleep } = deps;
  const of = steps.length;
  const state = at === 0 ? "begun" : at === of - 1 ? "done" : null;
  onProgress(step.sql, { nth: at + 1, of });
  for (let tried = 1; ; tried++)
    try {
      return await db.transaction(async (tx) => {
        // Whose connection broke may have lost its place to another.
        if (!(await takeDistributorPlace(tx))) return "another one has taken it over";
        const [alive] = await gatewaysAlive(tx);
        if (alive !== undefined) return alive;
        await runStep(tx, step);
        if (state !== null)
          await recordAction(tx, {
            ...actor,
            action: "database.distribute",
            accountId: null,
            subject: null,
            reason: null,
            before: null,
            after: { state, shards, statements: of },
          });
        return null;
      });
    } catch (error) {
      if (!isLockNotHad(error) || tried === LOCK_TRIES) return reasonOf(error);
      if (tried === 1) onProgress("waits for a table that is in use", { nth: at + 1, of });
      await sleep(LOCK_PAUSE_MS);
    }
}

/** What the database said, and not that a caller may come again. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

async function verified(
  db: Db,
): Promise<{ readonly mismatches: readonly Mismatch[]; readonly unverified: string | null }> {
  try {
    return { mismatches: (await verifyLedger(db)).mismatches, unverified: null };
  } catch (error) {
    return { mismatches: [], unverified: reasonOf(error) };
  }
}

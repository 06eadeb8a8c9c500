/** `tollgate database distribute`: spreads accounts over servers, or prints what would. */
import { setTimeout as sleep } from "node:timers/promises";
import type { DistributionPlan } from "../../business/operate/plan-distribution.ts";
import type {
  DistributionDeps,
  DistributionOutcome,
} from "../../business/operate/run-distribution.ts";
import { commandActor } from "../../business/operate/operator.ts";
import { alignColumns } from "../align-columns.ts";
import type { CliDeps, Command, Outcome } from "../command.ts";
import { done, failed, usage } from "../command.ts";
import { countNouns } from "../count-nouns.ts";
import { withDb } from "../with-db.ts";

const SHARDS_DEFAULT = 32;
const SHARDS_MAX = 4096;
/** Of a statement, in a line about it. */
const LINE_CHARACTERS = 100;

const NEEDS_YES =
  "this moves every row of accounts to other servers, no command leads back, and it has never run on a real Citus cluster, only against a pretended one. Make a backup that you have restored once, try it on a copy, stop every gateway, read what --dry-run prints, and then give --yes";

export const databaseDistribute: Command = {
  name: "database distribute",
  summary:
    "Spread accounts over the servers of a Citus coordinator, statement by statement; run again, it goes on where it broke off. Never run on a real cluster yet: a backup and a copy first",
  positionals: [],
  options: {
    "dry-run": {
      value: null,
      help: "print the statements, where each table would lie, and what they do not solve; nothing is run",
    },
    yes: {
      value: null,
      help: "there is a backup that was restored once, it was tried on a copy, and no gateway runs",
    },
    shards: {
      value: "N",
      help: `parts that accounts are spread over; ${SHARDS_DEFAULT} without it`,
    },
  },
  async run({ options, deps }): Promise<Outcome> {
    const given = options.get("shards") ?? String(SHARDS_DEFAULT);
    const shards = /^\d{1,4}$/.test(given) ? Number(given) : 0;
    if (shards < 1 || shards > SHARDS_MAX)
      return usage(`--shards: a whole number from 1 to ${SHARDS_MAX} is expected, not "${given}"`);
    if (options.has("dry-run")) return printPlan(deps, shards);
    if (!options.has("yes")) return usage(`--yes is missing: ${NEEDS_YES}`);
    const { runDistribution } = await import("../../business/operate/run-distribution.ts");
    return withDb(deps, async (db) =>
      tell(
        await runDistribution(
          {
            db,
            actor: commandActor(deps.user),
            migrations: { directory: deps.migrations, version: deps.version },
            onProgress: tellProgress(deps),
            sleep: (ms) => sleep(ms),
          },
          shards,
        ),
      ),
    );
  },
};

/** Of every statement, also where no person looks: a log of it is of use when it broke off. */
function tellProgress({ err }: Pick<CliDeps, "err">): DistributionDeps["onProgress"] {
  return (what, step) => {
    const [line = ""] = what.split("\n");
    const short = line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line;
    err(step === null ? short : `${step.nth}/${step.of} ${short}`);
  };
}

function tell(outcome: DistributionOutcome): Outcome {
  switch (outcome.kind) {
    case "busy":
      return failed("another `tollgate database distribute` is at work");
    case "refused":
      return refusal(outcome, "Nothing was changed. It cannot be distributed:");
    case "stopped":
      return failed(
        `statement ${outcome.nth} of ${outcome.of} was not done: ${outcome.reason}\n${outcome.sql};\nWhat came before it is done, and no gateway may run meanwhile. Mend the reason and run the command again: it goes on here.`,
      );
    case "done":
      return tellDone(outcome);
  }
}

function tellDone(outcome: Extract<DistributionOutcome, { kind: "done" }>): Outcome {
  const { steps, mismatches, unverified, unsolved } = outcome;
  const text = [
    steps === 0
      ? "All was done before: accounts are spread."
      : `${countNouns(BigInt(steps), "statement")} run: accounts are spread.`,
    unverified === null
      ? mismatches.length === 0
        ? "The books agree."
        : `The books do not agree in ${countNouns(BigInt(mismatches.length), "place")}: start no gateway; tollgate ledger verify names them.`
      : `The books could not be verified: ${unverified}. Start no gateway before you know that they agree.`,
    "What it does not solve:",
    ...unsolved.map((line) => `- ${line}`),
    "Now: tollgate doctor, then a gateway on a copy of the load, then the rest.",
  ].join("\n");
  if (mismatches.length > 0 || unverified !== null) return { kind: "bad", json: outcome, text };
  return done(outcome, text);
}

async function printPlan(deps: CliDeps, shards: number): Promise<Outcome> {
  const { planDistribution } = await import("../../business/operate/plan-distribution.ts");
  const { readCitusState } = await import("../../business/operate/citus.store.ts");
  const { readTables } = await import("../../business/operate/tables.store.ts");
  return withDb(deps, async (db) => {
    const [tables, citus] = [await readTables(db), await readCitusState(db)];
    return describePlan(planDistribution(tables, citus, shards));
  });
}

function describePlan(plan: DistributionPlan): Outcome {
  if (plan.kind === "refused") return refusal(plan, "It cannot be distributed:");
  const rows = plan.tables.map(({ name, kind, why }) => [name, kind, why]);
  return done(
    plan,
    [
      "-- Nothing was done: a plan. Each statement does nothing where its work is done, so it may be run again.",
      "-- Not solved by it:",
      ...plan.unsolved.map((line) => `--   ${line}`),
      "-- Where each table lies:",
      ...alignColumns(rows).map((line) => `--   ${line}`),
      ...plan.steps.flatMap(({ why, sql }) => ["", `-- ${why}`, `${sql};`]),
    ].join("\n"),
  );
}

function refusal(
  refused: { readonly kind: "refused"; readonly reasons: readonly string[] },
  title: string,
): Outcome {
  const text = [title, ...refused.reasons.map((reason) => `- ${reason}`)].join("\n");
  return { kind: "bad", json: refused, text };
}

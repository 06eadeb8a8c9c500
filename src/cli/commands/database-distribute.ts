/** `tollgate database distribute`: the statements that would spread accounts over servers. */
import type { DistributionPlan } from "../../business/operate/plan-distribution.ts";
import { alignColumns } from "../align-columns.ts";
import type { Command, Outcome } from "../command.ts";
import { done, usage } from "../command.ts";
import { withDb } from "../with-db.ts";

const SHARDS_DEFAULT = 32;
const SHARDS_MAX = 4096;

export const databaseDistribute: Command = {
  name: "database distribute",
  summary:
    "Print the statements that would spread accounts over the servers of a Citus coordinator, and what they do not solve; runs none of them",
  positionals: [],
  options: {
    "dry-run": {
      value: null,
      help: "this version plans and does nothing else: read it, then run it by psql as the owner of the tables",
      required: true,
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
    const { planDistribution } = await import("../../business/operate/plan-distribution.ts");
    const { readCitusState } = await import("../../business/operate/citus.store.ts");
    const { readTables } = await import("../../business/operate/tables.store.ts");
    return withDb(deps, async (db) => {
      const [tables, citus] = [await readTables(db), await readCitusState(db)];
      return outcomeOf(planDistribution(tables, citus, shards));
    });
  },
};

function outcomeOf(plan: DistributionPlan): Outcome {
  if (plan.kind === "refused")
    return {
      kind: "bad",
      json: plan,
      text: ["It cannot be distributed:", ...plan.reasons.map((reason) => `- ${reason}`)].join(
        "\n",
      ),
    };
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

/**
 * Guarantee: `catalogue apply` puts nothing in force that sells below its cost, unless
 * `--allow-loss` says so; `check` names it, in red on a terminal.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testDatabase, type TestDatabase } from "../../test/support/database.ts";
import { newestVersion } from "../catalogue/store.ts";
import { createSeal } from "../kernel/seal.ts";
import type { CliDeps } from "./command.ts";
import { runCli } from "./run-cli.ts";

const catalogueAt = (input: string): string => `
upstreams:
  up: { protocol: openai, baseUrl: "https://up.example/v1", apiKeyEnv: KEY }
models:
  talk:
    type: chat
    endpoints: [chat.completions]
    contextTokens: 8000
    maxOutputTokens: 1000
    price: { input: "${input}", output: "600" }
    routes: [ { upstream: up, model: far, cost: { input: "100", output: "400" } } ]
`;
const RED = "\u{1b}[31m";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
});
after(() => database.drop());

async function run(
  source: string,
  argv: readonly string[],
  colour = false,
): Promise<{ readonly code: number; readonly out: string }> {
  const out: string[] = [];
  const deps: Partial<CliDeps> = {
    openDb: async () => ({ ...database.db, close: async () => undefined }),
    openSeal: () => createSeal("a secret of at least thirty-two characters"),
    readFile: async () => source,
    env: { KEY: "x" },
    user: "tester",
    version: "1",
    migrations: "",
    colour,
    debug: false,
    out: (text) => void out.push(text),
    err: (text) => void out.push(text),
  };
  return { code: await runCli(["catalogue", ...argv], deps as CliDeps), out: out.join("\n") };
}

const versionInForce = async (): Promise<number | null> =>
  (await newestVersion(database.db))?.version ?? null;

test("a model at 90 that costs 100 is named by check, refused by apply, and in force only with --allow-loss", async () => {
  assert.equal((await run(catalogueAt("150"), ["apply", "c.yaml"])).code, 0);
  const checked = await run(catalogueAt("90"), ["check", "c.yaml"], true);
  assert.equal(checked.code, 0);
  const [line] = checked.out.split("\n").filter((each) => each.includes("BELOW COST"));
  assert.ok(line?.startsWith(RED) && line.includes("talk") && line.includes("input"), checked.out);
  assert.match(checked.out, /Sold below cost: talk\./);

  const refused = await run(catalogueAt("90"), ["apply", "c.yaml"]);
  assert.deepEqual([refused.code, await versionInForce()], [1, 1]);
  assert.match(refused.out, /BELOW COST[^]*Nothing was applied\. Give --allow-loss/);
  const forPrograms = await run(catalogueAt("90"), ["apply", "c.yaml", "--json"]);
  const { ok, belowCost } = JSON.parse(forPrograms.out) as { ok: boolean; belowCost: boolean };
  assert.deepEqual([forPrograms.code, ok, belowCost, await versionInForce()], [1, false, true, 1]);

  const meant = await run(catalogueAt("90"), ["apply", "c.yaml", "--allow-loss"]);
  assert.deepEqual([meant.code, await versionInForce()], [0, 2]);
  assert.ok(!meant.out.includes(RED), "no colours but on a terminal");
});

/**
 * Protects: `tollgate doctor` beside a real gateway and without one: its exit codes, its JSON, and
 * that it changes nothing, not even where nothing was made yet.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { FindingText } from "../../src/business/doctor/finding.ts";
import { openChatScene, UPSTREAM_CREDENTIAL, type ChatScene } from "../support/chat-scene.ts";
import { freePort } from "../support/free-port.ts";
import { createTollgateCommand, type CommandResult } from "../support/tollgate-command.ts";
import type { Settings } from "../support/tollgate-environment.ts";

const SESSION_SECRET = "9f2c7be1a04d6358c1e0b7a94d35f286";

const folder = mkdtempSync(join(tmpdir(), "doctor-command-"));
let scene: ChatScene;
before(async () => {
  const port = await freePort();
  scene = await openChatScene({
    env: { PORT: String(port), SESSION_SECRET },
    catalogue: (address) => `
upstreams: { up: { protocol: openai, baseUrl: "${address}/v1", apiKeyEnv: UPSTREAM_KEY } }
models:
  m:
    type: chat
    endpoints: [chat.completions]
    contextTokens: 20000
    maxOutputTokens: 8000
    price: { input: "150", output: "600" }
    routes: [ { upstream: up, model: m, cost: { input: "100", output: "400" } } ]
`,
  });
});
after(async () => {
  await scene.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The gateway's settings, in a terminal that speaks English. */
function english(): Settings {
  return { ...scene.gateway.env, LC_ALL: "C" };
}

interface Report {
  readonly ok: boolean;
  readonly worst: string;
  readonly findings: readonly FindingText[];
}

function reportOf({ stdout, stderr }: CommandResult): Report {
  assert.equal(stderr, "");
  return JSON.parse(stdout) as Report;
}

test("beside a gateway that is well the exit code is 0, and 1 as soon as something is an error", async () => {
  const command = createTollgateCommand(english());
  const well = await command.run("doctor", "--json");
  const report = reportOf(well);
  assert.equal(well.code, 0, well.stdout);
  assert.equal(report.ok, true);
  const gateway = report.findings.find(({ check }) => check === "gateway");
  assert.match(gateway?.found ?? "", /takes requests/);
  assert.equal(gateway?.severity, "ok");
  const people = await command.run("doctor");
  assert.match(people.stdout, /^OK +gateway +the gateway at /m);
  assert.match(people.stdout, /\d+ errors?, \d+ warnings?, \d+ notes?\n$/);

  const russian = /^OK +gateway +шлюз на .+ принимает запросы$/m;
  assert.match((await command.run("doctor", "--language", "ru")).stdout, russian);
  const terminal = createTollgateCommand({ ...english(), LC_ALL: "ru_RU.UTF-8" });
  assert.match((await terminal.run("doctor")).stdout, russian);

  const without = createTollgateCommand({ ...english(), UPSTREAM_KEY: undefined });
  const bad = await without.run("doctor");
  assert.equal(bad.code, 1);
  assert.match(
    bad.stdout,
    /^ERROR +upstreams +up has no credential: UPSTREAM_KEY is not set\n +means {2}.+\n +do {5}.+/m,
  );
  for (const { stdout } of [well, people, bad])
    assert.ok(![UPSTREAM_CREDENTIAL, SESSION_SECRET].some((secret) => stdout.includes(secret)));
});

test("with --strict a warning is exit code 1, too; a wrong command line is 2", async () => {
  const env = { ...english(), UPSTREAM_KEY: `"${UPSTREAM_CREDENTIAL}"` };
  const command = createTollgateCommand(env);
  assert.equal((await command.run("doctor")).code, 0);
  assert.equal((await command.run("doctor", "--strict")).code, 1);
  assert.equal((await command.run("doctor", "--sternly")).code, 2);
  assert.equal((await command.run("doctor", "--language", "de")).code, 2);
});

test("settings that no start would take are findings, in JSON as well", async () => {
  const command = createTollgateCommand({ ...english(), SESSION_SECRET: "short" });
  const ran = await command.run("doctor", "--json");
  assert.equal(ran.code, 1);
  const { worst, findings } = reportOf(ran);
  assert.equal(worst, "error");
  assert.deepEqual(
    findings.map(({ check }) => check),
    ["settings"],
  );
  assert.match(findings[0]?.found ?? "", /SESSION_SECRET/);
});

test("a database that is not there is one error; one that was never made stays so", async () => {
  const unused = await freePort();
  const gone = createTollgateCommand({
    ...english(),
    DATABASE_URL: `postgresql://tollgate:a-password-of-mine@127.0.0.1:${unused}/tollgate`,
  });
  const ran = await gone.run("doctor", "--json");
  assert.equal(ran.code, 1);
  const errors = reportOf(ran).findings.filter(({ severity }) => severity === "error");
  assert.match(errors.find(({ check }) => check === "database")?.found ?? "", /cannot be reached/);
  assert.ok(!ran.stdout.includes("a-password-of-mine"));

  const dataDir = join(folder, "data");
  const fresh = createTollgateCommand({
    DATA_DIR: dataDir,
    PORT: String(unused),
    LC_ALL: "C",
  });
  const first = await fresh.run("doctor", "--json");
  const database = reportOf(first).findings.find(({ check }) => check === "database");
  assert.equal(database?.severity, "note");
  assert.match(database.found, /no database in .* yet/);
  assert.equal(existsSync(dataDir), false);
});

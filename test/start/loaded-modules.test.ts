/**
 * Protects: a command loads what it is about and no more, and a gateway only the libraries that its
 * settings ask for: no start waits for code that is not run.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { moneyCatalogue } from "../money/money-catalogue.ts";
import { testDatabase } from "../support/database.ts";
import { startGateway } from "../support/gateway-process.ts";
import { tollgateEnvironment, type Settings } from "../support/tollgate-environment.ts";

const ROOT = join(import.meta.dirname, "../..");
const CLI = join(ROOT, "src/main/cli.ts");

const folder = mkdtempSync(join(tmpdir(), "loaded-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Preloaded: notes the file of each module that is loaded, imported or required. */
const NOTE = `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:")) appendFileSync(process.env.LOADED_MODULES, url + "\\n");
      return next(url, context);
    },
  });
`)}`;

interface Loaded {
  /** Of the project, as paths from its root. */
  readonly files: readonly string[];
  /** By name, each once, sorted. */
  readonly packages: readonly string[];
}

function readLoaded(list: string): Loaded {
  const paths = readFileSync(list, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((url) => relative(ROOT, fileURLToPath(url)));
  const names = paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return {
    files: paths.filter((path) => !path.includes("node_modules/")),
    packages: [...new Set(names)].toSorted(),
  };
}

let runs = 0;

function runCommand(args: readonly string[], env: Settings = {}) {
  const list = join(folder, `command-${(runs += 1)}`);
  writeFileSync(list, "");
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", NOTE, CLI, ...args], {
    cwd: folder,
    env: tollgateEnvironment({
      DATA_DIR: join(folder, "data"),
      LOADED_MODULES: list,
      ...env,
    }),
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, text: stdout + stderr, ...readLoaded(list) };
}

/** Rooms in which work is done: no text about a command needs them. */
const ROOMS_OF_WORK =
  /^src\/(?:accounts|archive|batches|catalogue|db|files|http|ledger|limits|serving|tasks|upstreams|usage)\//;

test("help, version and what is wrong with a command line come without the code behind the commands", () => {
  for (const [args, code] of [
    [["--help"], 0],
    [["--version"], 0],
    [["keys", "create", "--help"], 0],
    [["catalogue", "--help"], 0],
    [["keys", "crate"], 2],
    [["topup", "nobody", "5"], 2],
    [["config"], 0],
  ] as const) {
    const { status, text, files, packages } = runCommand(args);
    const what = `tollgate ${args.join(" ")}`;
    assert.equal(status, code, `${what}: ${text}`);
    assert.ok(files.includes("src/main/cli.ts"), "what is loaded is noted");
    assert.deepEqual(packages, ["ipaddr.js"], `${what} loads no package but that of addresses`);
    assert.deepEqual(
      files.filter((path) => ROOMS_OF_WORK.test(path)),
      [],
      what,
    );
    assert.ok(files.length <= 100, `${what} loads ${files.length} files`);
  }
});

test("a command on the database loads its use case and the driver", async (t) => {
  const database = await testDatabase();
  t.after(() => database.drop());
  for (const args of [
    ["accounts", "list"],
    ["accounts", "create", "--name", "Ромашка"],
    ["tasks", "list"],
    ["settings", "show"],
  ]) {
    const { status, text, files, packages } = runCommand(args, { DATABASE_URL: database.url });
    const what = `tollgate ${args.join(" ")}`;
    assert.equal(status, 0, `${what}: ${text}`);
    const others = packages.filter(
      (name) =>
        name !== "ipaddr.js" && !/^(?:pg|pg-.*|pgpass|postgres-.*|split2|xtend)$/.test(name),
    );
    assert.deepEqual(others, [], what);
    assert.ok(files.length <= 220, `${what} loads ${files.length} files`);
  }
});

/** Each belongs to a setting or a request that this gateway has not. */
const NOT_ASKED_FOR =
  /^(?:@aws-sdk\/|@smithy\/|@opentelemetry\/(?!api$)|@scalar\/|nodemailer$|hyparquet|file-type$|mediabunny$|sharp$)/;

/** Of ours, what only a collector of OpenTelemetry needs. */
const OF_A_COLLECTOR =
  /\/(?:otlp-(?!headers)|exported-lines|open-collector|measure-chat|trace-chat)/;

test("a gateway without S3, collector, mail and archive has loaded none of their libraries when it serves", async (t) => {
  const database = await testDatabase();
  t.after(() => database.drop());
  const list = join(folder, "gateway");
  writeFileSync(list, "");
  await using gateway = await startGateway({
    databaseUrl: database.url,
    catalogue: moneyCatalogue("http://127.0.0.1:9"),
    env: { SCRIPTED_API_KEY: "unused", LOADED_MODULES: list },
    launch: {
      program: process.execPath,
      args: ["--import", NOTE, CLI, "serve"],
      cwd: folder,
      user: null,
    },
  });
  assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
  const { packages, files } = readLoaded(list);
  assert.ok(packages.includes("fastify"), "what is loaded is noted");
  assert.deepEqual(
    packages.filter((name) => NOT_ASKED_FOR.test(name)),
    [],
  );
  assert.deepEqual(
    files.filter((path) => OF_A_COLLECTOR.test(path)),
    [],
  );
});

/**
 * `npm test`: static checks, then every test on one throw-away PostgreSQL; the last line is
 * `N passed, N failed, N skipped`.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTestFiles } from "./check/find-test-files.ts";
import { readArguments } from "./check/read-arguments.ts";
import type { Outcome } from "./check/outcome.ts";
import { createReport } from "./check/report.ts";
import { runAllLimited } from "./check/run-all-limited.ts";
import { runTestFile } from "./check/run-test-file.ts";
import { openHostPool } from "./check/host-pool.ts";
import { runStaticCheck, STATIC_CHECKS, type StaticCheck } from "./check/static-checks.ts";

const ROOT = join(import.meta.dirname, "..");
/**
 * Two at a time: the machines this runs on have two cores, and timings of tests should not depend
 * on how many more there are.
 */
const AT_ONCE = 2;
/** Besides, for files that mostly wait and would leave a core idle. */
const WAITING_AT_ONCE = 2;
/**
 * So many failed files are run again, alone: tests of real processes and deadlines fail now and
 * then on a machine that stands still. More are no accident.
 */
const MOST_AGAIN = 3;
/** What the developer's shell says about their own gateway is not for the tests. */
const OWN_GATEWAY = [
  "DATABASE_URL",
  "DATA_DIR",
  "CATALOGUE",
  "PORT",
  "HOST",
  "BASE_URL",
  "NODE_ENV",
];

const options = readArguments(process.argv.slice(2));
if (!options.ok) {
  console.error(options.message);
  process.exit(2);
}
process.exitCode = await check(options.only, options.staticChecks, options.again);

async function check(
  only: readonly string[],
  withStatic: boolean,
  again: boolean,
): Promise<number> {
  const stop = new AbortController();
  // Ctrl-C may arrive twice, and the end of our parent comes as `disconnect`; either way what runs
  // is ended and the rest is not begun.
  for (const event of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"])
    process.on(event, () => stop.abort());
  process.channel?.unref();

  const wanted = (name: string): boolean =>
    only.length === 0 || only.some((pattern) => name.includes(pattern));
  const checks = withStatic ? STATIC_CHECKS.filter((one) => wanted(one.name)) : [];
  const found = findTestFiles(ROOT);
  const working = found.working.filter(wanted);
  const waiting = found.waiting.filter(wanted).values();
  const anyFile = working.length > 0 || found.waiting.some(wanted);
  const report = createReport({
    write: (text) => process.stdout.write(text),
    live: process.stdout.isTTY && process.env["CI"] === undefined,
  });

  const runCheck = async (one: StaticCheck): Promise<void> => {
    report.begin(one.name);
    report.end(one.name, await runStaticCheck(one, ROOT, stop.signal));
  };
  if (!anyFile) await runAllLimited(checks, AT_ONCE, stop.signal, runCheck);
  else {
    await withScene(async (env) => {
      const settings = { root: ROOT, env, signal: stop.signal };
      const alone = (file: string): Promise<Outcome> => runTestFile(join(ROOT, file), settings);
      const hosts = openHostPool({ ...settings, ranAlone: report.ranAlone });
      const run = (file: string): Promise<Outcome> =>
        found.sharing.has(file) ? hosts.run(join(ROOT, file)) : alone(file);
      const failed: [string, Outcome][] = [];
      const runOnce = async (file: string): Promise<void> => {
        report.begin(file);
        const outcome = await run(file);
        if (!again || outcome.failures.length === 0) return report.end(file, outcome);
        report.postpone(file, outcome);
        failed.push([file, outcome]);
      };
      // Both take from the one queue of those that wait, so that no lane is idle before it is
      // empty. The checks are work, too: what waits begins beside them.
      await Promise.all([
        runAllLimited(waiting, WAITING_AT_ONCE, stop.signal, runOnce),
        runAllLimited(
          inTurn<StaticCheck | string>(checks, working, waiting),
          AT_ONCE,
          stop.signal,
          (job) => (typeof job === "string" ? runOnce(job) : runCheck(job)),
        ),
      ]);
      hosts.close();
      for (const [file, first] of failed) {
        if (failed.length > MOST_AGAIN || stop.signal.aborted) report.end(file, first);
        else {
          report.begin(file);
          report.endAgain(file, first, await alone(file));
        }
      }
    });
  }
  const counts = report.close({
    stopped: stop.signal.aborted,
    testsExpected: only.length === 0 || anyFile,
  });
  return counts.failed > 0 || counts.ran === 0 || stop.signal.aborted ? 1 : 0;
}

function* inTurn<T>(...lists: readonly Iterable<T>[]): Generator<T> {
  for (const list of lists) yield* list;
}

/**
 * Runs the tests with a folder for all that they write, a cache of compiled code, and a database
 * cluster unless one is given; all are gone afterwards.
 */
async function withScene(work: (env: NodeJS.ProcessEnv) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tg-"));
  // The database server of a privileged user runs under another one, who must be able to pass
  // through.
  chmodSync(folder, 0o711);
  const usual = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    const cleared = Object.fromEntries(OWN_GATEWAY.map((name) => [name, undefined]));
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      ...cleared,
      NODE_COMPILE_CACHE: makeCompileCache(folder),
    };
    if (env["TEST_DATABASE_URL"] !== undefined) return await work(env);
    const { startTestCluster } = await import("../test/support/test-cluster.ts");
    const cluster = await startTestCluster();
    try {
      await work({ ...env, TEST_DATABASE_URL: cluster.url });
    } finally {
      await cluster.stop();
    }
  } finally {
    if (usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = usual;
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Some thousand processes of a run load the same modules: what one has compiled, the others read. A
 * user whom a test becomes keeps one of their own in it.
 */
function makeCompileCache(folder: string): string {
  const path = join(folder, "compiled");
  mkdirSync(path);
  chmodSync(path, 0o1777);
  return path;
}

/**
 * Starts Tollgate as an operator does, on the embedded PostgreSQL with its usual settings, and
 * looks into its books when it ends.
 */
import { execFile } from "node:child_process";
import { mkdirSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { openDatabase, type Db } from "../../src/db/database.ts";
import { attachEmbedded } from "#embedded-postgres/attach-embedded.ts";
import { tollgateEnvironment } from "../../test/support/tollgate-environment.ts";
import { openBooks, type Books } from "./books.ts";
import { speaksResponses, tollgateOf, type Checkout } from "./checkout.ts";
import { measureDurableCommit } from "./durable-commit.ts";
import { fillLedger } from "./fill-ledger.ts";
import { watchHeap } from "./heap-watch.ts";
import type { Customers } from "./make-customers.ts";
import type { Absence, Audit, Peer, PeerContext, PeerName } from "./peer.ts";
import { spawnServer } from "./spawn-server.ts";
import { tollgateCatalogue } from "./tollgate-catalogue.ts";

const ON_SERVING_FLAGS = join(import.meta.dirname, "on-serving-flags.mjs");
const UNBILLED = join(import.meta.dirname, "unbilled-gateway.ts");
const MAKE_CUSTOMERS = join(import.meta.dirname, "customers-of-checkout.ts");
const LOOKED_AT_WITHIN_MS = 60_000;
const VERIFY_WITHIN_MS = 20 * 60_000;
/** Of disk, for each entry that is filled in. */
const BYTES_PER_ENTRY = 700;

export interface TollgateOptions {
  readonly name: PeerName;
  readonly title: string;
  /** Whose gateway. */
  readonly checkout: Checkout;
  /** Serving processes. */
  readonly workers: number;
  /** Else money is answered in memory, and there are no books to look at. */
  readonly bills: boolean;
  /** Charges that are in the ledger before the first request. */
  readonly filledEntries: number;
}

export async function startTollgate(
  context: PeerContext,
  options: TollgateOptions,
): Promise<Peer | Absence> {
  const { filledEntries, checkout, bills } = options;
  const folder = join(context.folder, options.name);
  mkdirSync(folder, { recursive: true });
  const disk = statfsSync(folder);
  if (filledEntries * BYTES_PER_ENTRY > disk.bavail * disk.bsize)
    return { absent: `no room on the disk for ${filledEntries} entries` };
  const catalogue = join(folder, "catalogue.yaml");
  writeFileSync(catalogue, tollgateCatalogue(context.upstreamPort, speaksResponses(checkout)));
  const environment = {
    ...context.environment,
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: join(folder, "data"),
    CATALOGUE: catalogue,
    WORKERS: String(options.workers),
    BENCH_UPSTREAM_KEY: "sk-upstream",
  };
  const heap = watchHeap(folder, options.name);
  const server = await spawnServer({
    leash: context.native.leash,
    command: bills
      ? [process.execPath, tollgateOf(checkout), "serve"]
      : [process.execPath, ON_SERVING_FLAGS, UNBILLED],
    folder,
    logFile: join(folder, "tollgate.log"),
    environment: { ...environment, ...heap.environment },
    port: (log) => servedPort(log, options.workers),
  });
  let db: Db | null = null;
  let answers = 0;
  /** Of a run before, where this one goes on in its folder. */
  let chargesBefore = 0;

  async function audit(opened: Db, books: Books): Promise<Audit> {
    const verified = await verifyLedger(checkout, folder, environment);
    const [row] = await opened.query<{
      fsync: string;
      synchronous_commit: string;
      version: string;
    }>(
      "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit, current_setting('server_version') AS version",
    );
    return {
      title: options.title,
      fsync: row?.fsync ?? "unknown",
      synchronousCommit: row?.synchronous_commit ?? "unknown",
      database: `PostgreSQL ${row?.version ?? "unknown"}`,
      ...verified,
      answers,
      charges: (await books.charges()) - chargesBefore,
    };
  }

  async function stop(): Promise<Audit | null> {
    try {
      return db === null || !bills ? null : await audit(db, openBooks(db));
    } finally {
      await db?.close();
      await server.stop();
    }
  }

  try {
    const url = await attachEmbedded({ dataDir: environment.DATA_DIR });
    if (url === null) throw new Error("the embedded PostgreSQL does not answer");
    db = openDatabase({ url, poolSize: 8, applicationName: "bench", onError: () => undefined });
    const books = openBooks(db);
    chargesBefore = await books.charges();
    const keys = await makeCustomers(checkout, url, folder);
    if (filledEntries > 0) {
      await untilLookedAt(db);
      await fillLedger(url, filledEntries, (done) =>
        context.say(`filling the ledger: ${done} of ${filledEntries} entries`),
      );
    }
    const { name, title } = options;
    return {
      name,
      title,
      port: server.port,
      pid: server.pid,
      ownPath: "/healthz",
      headers: [],
      keys,
      ...(bills ? { books, durableCommitMs: () => measureDurableCommit(url) } : {}),
      allocated: () => heap.allocated(),
      answered(count) {
        answers += count;
        server.forgetLog();
      },
      stop,
    };
  } catch (error) {
    await db?.close();
    await server.stop();
    throw error;
  }
}

/** Every account has the alerts that an account has: looking at them costs something, too. */
async function untilLookedAt(db: Db): Promise<void> {
  for (const endsAt = performance.now() + LOOKED_AT_WITHIN_MS; performance.now() < endsAt;) {
    const [row] = await db.query<{ missing: boolean }>(
      "SELECT EXISTS (SELECT FROM ledger.accounts a WHERE NOT EXISTS (SELECT FROM alerts.looks l WHERE l.account_id = a.account_id)) AS missing",
    );
    if (row?.missing === false) return;
    await setTimeout(200);
  }
  throw new Error("nobody looks at the accounts");
}

async function makeCustomers({ root }: Checkout, url: string, folder: string): Promise<Customers> {
  const args = [MAKE_CUSTOMERS, root, url, folder];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Customers;
}

/** With several processes, each says that it listens; only when all do does the load spread. */
function servedPort(log: string, workers: number): number | null {
  const line = log
    .split("\n")
    .find((text) =>
      text.includes(workers > 1 ? '"msg":"all serving processes listen"' : '"msg":"listening"'),
    );
  const port = /"url":"http:\/\/[^"]*:(\d+)"/.exec(line ?? "")?.[1];
  return port === undefined ? null : Number(port);
}

/** `tollgate ledger verify`, beside the running server. */
async function verifyLedger(
  checkout: Checkout,
  folder: string,
  environment: PeerContext["environment"],
): Promise<Pick<Audit, "verifyExitCode" | "verifyOutput">> {
  const { promise, resolve } =
    Promise.withResolvers<Pick<Audit, "verifyExitCode" | "verifyOutput">>();
  const settings = {
    cwd: folder,
    env: tollgateEnvironment(environment),
    timeout: VERIFY_WITHIN_MS,
  };
  const child = execFile(
    process.execPath,
    [tollgateOf(checkout), "ledger", "verify"],
    settings,
    (_, stdout, stderr) =>
      resolve({
        verifyExitCode: child.exitCode,
        verifyOutput: (child.exitCode === 0 ? stdout : `${stdout}${stderr}`).trim(),
      }),
  );
  return promise;
}

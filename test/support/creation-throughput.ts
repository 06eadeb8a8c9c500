/**
 * Measures how fast one gateway process takes orders of tasks over HTTP, each held durably in the
 * embedded PostgreSQL:
 * `node test/support/creation-throughput.ts [SECONDS] [CONNECTIONS,…] [ACCOUNTS,…]`. No worker
 * takes the tasks meanwhile.
 */
import { Agent, request } from "node:http";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readTreeUse } from "../../bench/process-tree.ts";
import { startGateway } from "./gateway-process.ts";
import { createTollgateCommand } from "./tollgate-command.ts";

interface CreationFigures {
  readonly connections: number;
  /** Whose orders they are, in turn: holds of one account wait for each other. */
  readonly accounts: number;
  readonly created: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Of CPU time, for one task. */
  readonly gatewayUs: number;
  readonly databaseUs: number;
  /** The generator's own, on the same machine. */
  readonly clientUs: number;
}

type Slot = Pick<CreationFigures, "connections" | "accounts">;

const CATALOGUE = join(import.meta.dirname, "../../catalogue.yaml");
/** One prompt, no media: what costs is the order itself. */
const TABLE = "T19";
const BODY = JSON.stringify({ prompt: "a cat that looks out of the window ".repeat(10) });
/** Until its code is compiled. */
const WARM_UP_SECONDS = 5;
/** What is still written after the last answer belongs to the tasks. */
const AFTERWORK_MS = 300;

/** A slot for each, after a warm-up; `ledger verify` passes after all of them. */
async function measureCreations(
  slots: readonly Slot[],
  seconds: number,
): Promise<CreationFigures[]> {
  const dataDir = await mkdtemp(join(tmpdir(), "creations-"));
  // Nothing is ever asked of it.
  const env = { SANDBOX_URL: "http://127.0.0.1:9", SANDBOX_API_KEY: "none" };
  const gateway = await startGateway({
    databaseUrl: null,
    dataDir,
    catalogue: await readFile(CATALOGUE, "utf8"),
    roles: "api",
    env,
  });
  try {
    const command = createTollgateCommand(gateway.env);
    const secrets: string[] = [];
    const most = Math.max(...slots.map(({ accounts }) => accounts));
    while (secrets.length < most)
      secrets.push((await command.makeCustomer({ roubles: "10000000" })).secret);
    const url = `${gateway.url}/v1/tasks/${await modelOf(gateway.url, secrets[0] ?? "")}`;
    await load({ url, secrets, connections: 8, seconds: WARM_UP_SECONDS });
    const figures: CreationFigures[] = [];
    for (const { connections, accounts } of slots) {
      await sleep(AFTERWORK_MS);
      const [before, own] = [readTreeUse(gateway.pid), process.cpuUsage()];
      const { took, lastedMs } = await load({
        url,
        secrets: secrets.slice(0, accounts),
        connections,
        seconds,
      });
      const spent = process.cpuUsage(own);
      await sleep(AFTERWORK_MS);
      const after = readTreeUse(gateway.pid);
      const usEach = (ms: number): number => Math.round((ms * 1_000) / took.length);
      figures.push({
        connections,
        accounts,
        created: took.length,
        perSecond: Math.round((took.length / lastedMs) * 1_000),
        medianMs: quantile(took, 0.5),
        p99Ms: quantile(took, 0.99),
        gatewayUs: usEach(after.ownMs - before.ownMs),
        databaseUs: usEach(after.databaseMs - before.databaseMs),
        clientUs: usEach((spent.user + spent.system) / 1_000),
      });
    }
    await command.verifyLedger();
    return figures;
  } finally {
    await gateway.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function modelOf(url: string, secret: string): Promise<string> {
  const answer = await fetch(`${url}/v1/models`, { headers: { "x-api-key": secret } });
  const { data } = (await answer.json()) as { data: { id: string; parameters?: string }[] };
  const model = data.find(({ parameters }) => parameters === TABLE);
  if (model === undefined) throw new Error(`the catalogue sells no model of ${TABLE}`);
  return model.id;
}

interface Load {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Each connection orders as soon as it has its answer. `took`: the milliseconds of each order.
 * Rejects when one is not taken.
 */
async function load({
  url,
  secrets,
  connections,
  seconds,
}: Load): Promise<{ readonly took: number[]; readonly lastedMs: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { "content-type": "application/json", "content-length": BODY.length };
  const took: number[] = [];
  const beganMs = performance.now();
  const order = (secret: string): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sentMs = performance.now();
    const call = request(
      url,
      { method: "POST", agent, headers: { ...headers, "x-api-key": secret } },
      (answer) => {
        answer.resume();
        answer.on("error", reject);
        answer.on("end", () => {
          if (answer.statusCode !== 200)
            return reject(new Error(`an order was answered with ${answer.statusCode}`));
          took.push(performance.now() - sentMs);
          resolve();
        });
      },
    );
    call.on("error", reject);
    call.end(BODY);
    return promise;
  };
  try {
    await Promise.all(
      Array.from({ length: connections }, async (_, at) => {
        const secret = secrets[at % secrets.length] ?? "";
        while (performance.now() - beganMs < seconds * 1_000) await order(secret);
      }),
    );
    return { took, lastedMs: performance.now() - beganMs };
  } finally {
    agent.destroy();
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return (
    Math.round(
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN) * 100,
    ) / 100
  );
}

const [seconds = "10", connections = "32,1", accounts = "16,1"] = process.argv.slice(2);
const slots = connections
  .split(",")
  .flatMap((many) =>
    accounts.split(",").map((of) => ({ connections: Number(many), accounts: Number(of) })),
  );
// An account without a connection would order nothing.
const possible = slots.filter((slot) => slot.accounts <= slot.connections);
for (const figures of await measureCreations(possible, Number(seconds)))
  process.stdout.write(`${JSON.stringify(figures)}\n`);

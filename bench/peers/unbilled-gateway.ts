/** The gateway as `tollgate serve` composes it, with its money answered in memory. */
import { readFile } from "node:fs/promises";
import { takeCatalogueFile } from "../../src/cli/take-catalogue-file.ts";
import { readConfig } from "../../src/config/config.ts";
import { readEnvironment } from "../../src/config/environment.ts";
import { openDatabase } from "../../src/db/database.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { createLog } from "../../src/log/log.ts";
import { openStandardOutput } from "../../src/log/standard-output.ts";
import { openGateway } from "../../src/main/open-gateway.ts";
import { openServerDatabase } from "../../src/process/open-server-database.ts";
import { PROJECT_ROOT } from "../../src/process/project-root.ts";
import { stopSignal } from "../../src/process/stop-signal.ts";
import { MoneyInMemory } from "./money-in-memory.ts";

const env = readEnvironment(process.cwd());
const reading = readConfig(env, process.cwd(), PROJECT_ROOT);
if (!reading.ok) throw new Error(reading.mistakes.join("\n"));
const { config } = reading;
const output = openStandardOutput();
const log = createLog(config.logLevel, output.write);
const stop = stopSignal();
const database = await openServerDatabase({
  config,
  purpose: "serve",
  log: (line, level) => log[level ?? "info"](line),
  onFatal: () => stop.now(),
});
const db = openDatabase({
  url: database.url,
  poolSize: 1,
  applicationName: "bench",
  onError: () => undefined,
});
const source = await readFile(config.cataloguePath, "utf8");
const taken = await takeCatalogueFile(db, { source, env, user: "bench" });
if (taken.kind === "mistakes") throw new Error(taken.lines.join("\n"));
await db.close();
const metrics = createMetrics();
const gateway = await openGateway({
  config,
  databaseUrl: database.url,
  env,
  roles: new Set(["api", "worker"]),
  clock: systemClock,
  log,
  metrics,
  renderMetrics: () => metrics.render(),
  createMoney: () => new MoneyInMemory(),
});
await stop.wait;
await gateway.stop();
metrics.close();
await database.close();
output.end();

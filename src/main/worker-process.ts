/**
 * One of several serving processes: the same gateway, on the database and the port of its primary.
 */
import { readConfig } from "../config/config.ts";
import { INHERITED_DATABASE_URL, readEnvironment } from "../config/environment.ts";
import { createMetrics } from "../http/metrics.ts";
import { systemClock } from "../kernel/clock.ts";
import { createLog } from "../log/log.ts";
import { openStandardOutput } from "../log/standard-output.ts";
import { noDebugger } from "../process/no-debugger.ts";
import { PROJECT_ROOT } from "../process/project-root.ts";
import { serveForPrimary } from "../process/serve-for-primary.ts";
import { openGateway } from "./open-gateway.ts";

const env = readEnvironment(process.cwd());
const reading = readConfig(env, process.cwd(), PROJECT_ROOT);
const databaseUrl = env[INHERITED_DATABASE_URL];
if (!reading.ok || databaseUrl === undefined)
  throw new Error("a serving process is started by its primary only");
const { config } = reading;
const log = createLog(config.logLevel, openStandardOutput().write);
const metrics = createMetrics();
const roles = (process.argv[2] ?? "api,worker")
  .split(",")
  .filter((role) => role === "api" || role === "worker");

noDebugger();
await serveForPrimary({
  log,
  drainSeconds: config.drainSeconds,
  figures: () => metrics.figures(),
  open: (renderMetrics) =>
    openGateway({
      config,
      databaseUrl,
      env,
      roles: new Set(roles),
      clock: systemClock,
      log,
      metrics,
      renderMetrics,
      sockets: 1,
    }),
});

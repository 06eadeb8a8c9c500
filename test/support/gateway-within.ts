/**
 * A gateway in the test's own process, as the program composes it, for limits that only a test may
 * shorten.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyCatalogueFile } from "../../src/business/operate/apply-catalogue.ts";
import { startActor } from "../../src/business/operate/operator.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { readConfig } from "../../src/config/config.ts";
import { createLog } from "../../src/log/log.ts";
import { openGateway } from "../../src/main/open-gateway.ts";
import type { TestDatabase } from "./database.ts";
import "./check-api-answers.ts";
import "./check-panel-answers.ts";

export interface GatewayWithinOptions {
  readonly database: TestDatabase;
  /** The catalogue file's text. */
  readonly catalogue: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stalledMs?: number;
  readonly answerWaitMs?: number;
}

export interface GatewayWithin {
  readonly url: string;
  stop(): Promise<void>;
}

export async function openGatewayWithin({
  database,
  catalogue,
  env = {},
  ...limits
}: GatewayWithinOptions): Promise<GatewayWithin> {
  const folder = mkdtempSync(join(tmpdir(), "gateway-within-"));
  const settings = {
    PORT: "0",
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    LOG_LEVEL: "error",
    ...env,
  };
  const reading = readConfig(settings, folder, folder);
  if (!reading.ok) throw new Error(reading.mistakes.join("\n"));
  const applied = await applyCatalogueFile(database.db, {
    source: catalogue,
    env: settings,
    appliedBy: "test",
    actor: startActor("test"),
  });
  if (applied.kind === "mistakes") throw new Error(JSON.stringify(applied.mistakes));
  const metrics = createMetrics();
  const gateway = await openGateway({
    config: reading.config,
    databaseUrl: database.url,
    env: settings,
    roles: new Set(["api", "worker"]),
    clock: systemClock,
    log: createLog("error", (lines) => process.stderr.write(lines)),
    metrics,
    renderMetrics: () => metrics.render(),
    ...limits,
  });
  return {
    url: gateway.url ?? "",
    async stop() {
      await gateway.stop();
      metrics.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

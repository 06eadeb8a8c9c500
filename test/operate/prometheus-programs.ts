/**
 * Prometheus where it is installed on this machine: TEST_PROMETHEUS_BIN names the folder of its
 * programs, else they are looked for on the PATH. And a server of it for a test.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse, stringify } from "yaml";
import { freePort } from "../support/free-port.ts";
import { tollgateEnvironment } from "../support/tollgate-environment.ts";
import { until } from "../support/until.ts";

const EXAMPLE = join(import.meta.dirname, "../../ops/prometheus/prometheus.yaml");
const SCRAPE = "1s";
const PATIENCE_MS = 60_000;

/** The path of one of its programs; null where it is not installed. */
export function prometheusProgram(name: "prometheus" | "promtool"): string | null {
  const { TEST_PROMETHEUS_BIN: named = "", PATH = "" } = process.env;
  const folders = named === "" ? PATH.split(":") : [resolve(named)];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** What it printed, on both streams; rejects with that where it does not end well. */
export function runPromtool(...args: readonly string[]): Promise<string> {
  const { promise, resolve: done, reject } = Promise.withResolvers<string>();
  execFile(prometheusProgram("promtool") ?? "promtool", args, (error, stdout, stderr) => {
    const all = `${stdout}${stderr}`;
    if (error === null) done(all);
    else reject(new Error(`promtool ${args.join(" ")}:\n${all}`));
  });
  return promise;
}

export interface PrometheusServer extends AsyncDisposable {
  /** The samples that a query has at this moment; rejects where it is no query. */
  query(expression: string): Promise<readonly PrometheusSample[]>;
  /** The names of the alerts that the server has loaded. */
  ruleNames(): Promise<readonly string[]>;
}

interface PrometheusSample {
  readonly metric: Readonly<Record<string, string>>;
  /** Time and value. */
  readonly value: readonly [number, string];
}

/** By the example's own configuration, but for whom it asks and how often. */
export async function startPrometheus(
  folder: string,
  targets: readonly string[],
): Promise<PrometheusServer> {
  const program = prometheusProgram("prometheus");
  if (program === null) throw new Error("prometheus is not installed");
  const config = parse(readFileSync(EXAMPLE, "utf8")) as {
    global: object;
    rule_files: readonly string[];
    scrape_configs: [{ static_configs: unknown }];
  };
  config.global = { scrape_interval: SCRAPE, evaluation_interval: SCRAPE };
  config.rule_files = config.rule_files.map((path) => resolve(dirname(EXAMPLE), path));
  config.scrape_configs[0].static_configs = [{ targets }];
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "prometheus.yaml");
  writeFileSync(file, stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    program,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, "samples")}`,
      `--web.listen-address=${address}`,
      "--log.level=warn",
    ],
    { cwd: folder, env: tollgateEnvironment({}), stdio: ["ignore", "ignore", "pipe"] },
  );
  let written = "";
  child.stderr.on("data", (chunk: Buffer) => (written += chunk.toString()));
  const ended = once(child, "close");
  const server = serverAt(`http://${address}`, async () => {
    child.kill("SIGTERM");
    await ended;
  });
  try {
    await until(
      "Prometheus is ready",
      async () => {
        if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${written}`);
        return (await fetch(`http://${address}/-/ready`).catch(() => null))?.ok === true;
      },
      PATIENCE_MS,
    );
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

function serverAt(url: string, stop: () => Promise<void>): PrometheusServer {
  async function ask<T>(path: string): Promise<T> {
    const answer = await fetch(`${url}/api/v1/${path}`);
    const body = (await answer.json()) as { status: string; error?: string; data: T };
    if (body.status !== "success") throw new Error(`${path}: ${body.error ?? ""}`);
    return body.data;
  }
  return {
    async query(expression) {
      const { result } = await ask<{ result: readonly PrometheusSample[] }>(
        `query?${new URLSearchParams({ query: expression }).toString()}`,
      );
      return result;
    },
    async ruleNames() {
      const { groups } = await ask<{ groups: { rules: { name: string }[] }[] }>("rules");
      return groups.flatMap(({ rules }) => rules.map(({ name }) => name));
    },
    [Symbol.asyncDispose]: stop,
  };
}

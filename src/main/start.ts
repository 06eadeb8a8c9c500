/**
 * `npm start`: everything at once on the embedded default, and a few lines that tell a person what
 * to do next.
 */
import { newestVersion } from "../catalogue/store.ts";
import { parseStoredCatalogue } from "../catalogue/parse-catalogue.ts";
import type { Db } from "../db/database.ts";
import { bootstrap } from "./bootstrap.ts";
import { readConfig } from "../config/config.ts";
import type { Environment } from "../config/config.ts";
import { readEnvironment } from "../config/environment.ts";
import { createLog } from "../log/log.ts";
import { PROJECT_ROOT } from "./project-root.ts";
import { serve } from "./serve.ts";
import { openStandardOutput } from "../log/standard-output.ts";

const env = readEnvironment(process.cwd());
const reading = readConfig(env, process.cwd(), PROJECT_ROOT);
const output = openStandardOutput();

function say(text: string): void {
  output.write(`${text}\n`);
}

/** The first chat model of the catalogue in force, for the example. */
async function exampleModel(db: Db, catalogueEnv: Environment): Promise<string> {
  const stored = await newestVersion(db);
  const parsed = stored === null ? null : parseStoredCatalogue(stored.source, catalogueEnv);
  const models = parsed?.ok === true ? [...parsed.catalogue.models.values()] : [];
  return models.find((model) => model.type === "chat")?.id ?? "MODEL";
}

function curlLine(url: string, secret: string, model: string): string {
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: "user", content: "Привет! Hello!" }],
  });
  return `curl -N ${url}/v1/chat/completions -H "Authorization: Bearer ${secret}" -H "Content-Type: application/json" -d '${body}'`;
}

async function introduce(serving: {
  readonly url: string | null;
  readonly db: Db;
  readonly catalogueEnv: Environment;
}): Promise<void> {
  const url = reading.ok ? (reading.config.baseUrl ?? serving.url ?? "") : "";
  const model = await exampleModel(serving.db, serving.catalogueEnv);
  const outcome = await bootstrap(serving.db);
  const lines = [
    ``,
    `  Tollgate is running.`,
    ``,
    `  API      ${url}/v1   (for the Anthropic SDK and Claude Code: ${url})`,
    `  Docs     ${url}/docs`,
  ];
  if ("first" in outcome) {
    const { secret, accountId, operatorEmail, oneTimePassword, creditRoubles } = outcome.first;
    lines.push(
      `  Panel    ${url}/panel   (log in as ${operatorEmail}, one-time password ${oneTimePassword})`,
      `  Account  ${accountId}   (credited with ${creditRoubles} RUB to try things out)`,
      ``,
      `  Try it. The API key in this line is shown this once: keep it on a server.`,
      ``,
      curlLine(url, secret, model),
    );
  } else {
    const { accountId, keyMask } = outcome.later;
    lines.push(
      `  Panel    ${url}/panel`,
      `  Account  ${accountId}`,
      `  API key  ${keyMask === null ? "none" : `${keyMask}   (its secret was shown when it was made)`}`,
      `           Another one: npx tollgate keys create ${accountId} --name NAME`,
      ``,
      `  Try it:`,
      ``,
      curlLine(url, "YOUR_KEY", model),
    );
  }
  lines.push(``, `  Stop with Ctrl-C. Commands: npx tollgate --help`, ``);
  say(lines.join("\n"));
}

if (!reading.ok) {
  for (const mistake of reading.mistakes) process.stderr.write(`${mistake}\n`);
  process.exitCode = 1;
} else {
  const log = createLog(reading.config.logLevel, output.write);
  process.exitCode = await serve({
    config: reading.config,
    env,
    roles: new Set(["api", "worker"] as const),
    log,
    sandbox: true,
    onServing: introduce,
  }).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  });
}
// A channel to the launcher would keep this process alive.
if (process.connected) process.disconnect?.();
output.end();

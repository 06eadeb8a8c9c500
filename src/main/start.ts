/**
 * `npm start`: everything at once on the embedded default, and a few lines that tell a person what
 * to do next.
 */
import { readConfig } from "../config/config.ts";
import { readEnvironment } from "../config/environment.ts";
import { createLog } from "../log/log.ts";
import { PROJECT_ROOT } from "../process/project-root.ts";
import { serve } from "./serve.ts";
import { openStandardOutput } from "../log/standard-output.ts";

const env = readEnvironment(process.cwd());
const reading = readConfig(env, process.cwd(), PROJECT_ROOT);
const output = openStandardOutput();

if (!reading.ok) {
  for (const mistake of reading.mistakes) process.stderr.write(`${mistake}\n`);
  process.exitCode = 1;
} else {
  const { baseUrl, logLevel } = reading.config;
  const log = createLog(logLevel, output.write);
  process.exitCode = await serve({
    config: reading.config,
    env,
    roles: new Set(["api", "worker"] as const),
    log,
    sandbox: true,
    async onServing(serving) {
      const { introduce } = await import("../cli/introduce.ts");
      output.write(`${await introduce({ ...serving, baseUrl })}\n`);
    },
  }).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  });
}
// A channel to the launcher would keep this process alive.
if (process.connected) process.disconnect?.();
output.end();

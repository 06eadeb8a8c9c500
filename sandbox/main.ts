/**
 * Runs the sandbox as a process of its own:
 * `sandbox/main.ts [--port N] [--host H] [--word-delay MS] [--result-ttl SECONDS] [--journal FILE] [--quiet]`.
 */
import { parseArgs } from "node:util";
import { createSandbox } from "./create-sandbox.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8090" },
    host: { type: "string", default: "127.0.0.1" },
    "word-delay": { type: "string", default: "15" },
    "result-ttl": { type: "string", default: "3600" },
    journal: { type: "string" },
    quiet: { type: "boolean", default: false },
  },
});

function wholeNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  process.stderr.write(`--${name} takes a whole number up to ${most}, not "${text}"\n`);
  process.exit(2);
}

const sandbox = await createSandbox({
  port: wholeNumber("port", values.port, 65_535),
  host: values.host,
  wordDelayMs: wholeNumber("word-delay", values["word-delay"], 60_000),
  media: {
    resultTtlMs: wholeNumber("result-ttl", values["result-ttl"], 7 * 86_400) * 1000,
    ...(values.journal === undefined ? {} : { journalPath: values.journal }),
  },
  log: (line) => {
    if (!values.quiet) process.stderr.write(`sandbox: ${line}\n`);
  },
}).catch((error: unknown) => {
  process.stderr.write(
    `sandbox: cannot listen on ${values.host}:${values.port}: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
});

let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  sandbox.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
// A terminal sends its signals to the whole group, and so does many a supervisor. With a parent the
// word is the parent's: its gateway may still be draining streams of ours.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    if (process.channel === undefined || process.channel === null) stop();
  });
}
// A parent that forked us with a channel and is gone, killed even, must not leave us behind on its
// port.
process.once("disconnect", stop);
// It may have been gone before we listened to it; without a channel there is no such word.
if ("connected" in process && !process.connected) stop();

process.stdout.write(`sandbox listening on ${sandbox.url}\n`);

/**
 * The benchmark: measures Tollgate beside its peers, prints what it found, and holds it against the
 * budgets.
 */
import { rmSync, writeFileSync } from "node:fs";
import { BUDGETS } from "./budgets.ts";
import { conclude } from "./conclude.ts";
import { describeMachine } from "./describe-machine.ts";
import { MEASURES } from "./measures/measures.ts";
import { compileNative, NoCompiler, type NativePrograms } from "./native/compile-native.ts";
import { startUpstream } from "./native/upstream.ts";
import { readArguments, type Arguments } from "./read-arguments.ts";
import { renderResults } from "./render-results.ts";
import { makeRunFolder } from "./run-folder.ts";
import { runMeasures, type Findings } from "./run-measures.ts";
import { resultsAsJson, writeResults } from "./write-results.ts";

const SLOT_SECONDS = 3;
const QUICK_SLOT_SECONDS = 1;

/** Progress goes to standard error: one line that changes in a terminal, a line each elsewhere. */
function showProgress(line: string): void {
  if (process.stderr.isTTY)
    process.stderr.write(`\r\u001B[K${line.slice(0, process.stderr.columns - 1)}`);
  else process.stderr.write(`${line}\n`);
}

async function measure(
  native: NativePrograms,
  args: Arguments,
  signal: AbortSignal,
): Promise<Findings> {
  const folder = makeRunFolder();
  const upstream = await startUpstream(native.upstream);
  try {
    return await runMeasures({
      measures:
        args.only ?? MEASURES.filter(({ quickPeers }) => !args.quick || quickPeers !== undefined),
      native,
      upstream,
      folder,
      rounds: args.rounds,
      seconds: args.quick ? QUICK_SLOT_SECONDS : SLOT_SECONDS,
      quick: args.quick,
      against: args.against,
      signal,
      progress: showProgress,
    });
  } finally {
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function run(args: Arguments): Promise<number> {
  const native = compileNative();
  const stop = new AbortController();
  for (const event of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"])
    process.on(event, () => stop.abort(new Error("stopped before its end")));
  process.channel?.unref();
  const startedAt = new Date();
  const found = await measure(native, args, stop.signal);
  const { results, lastLine, exitCode } = conclude(
    found,
    {
      startedAt,
      seconds: (Date.now() - startedAt.getTime()) / 1000,
      rounds: args.rounds,
      against: args.against === null ? null : (args.against.commit ?? "unknown"),
      form: args.only !== null ? "partial" : args.quick ? "quick" : "full",
      machine: describeMachine(),
    },
    BUDGETS,
  );
  if (process.stderr.isTTY) process.stderr.write("\r\u001B[K");
  console.log(renderResults(results));
  if (args.json !== null) writeFileSync(args.json, resultsAsJson(results));
  if (results.form === "full" && !stop.signal.aborted)
    console.log(`Kept in ${writeResults(results)}.`);
  console.log(lastLine);
  return exitCode;
}

const reading = readArguments(process.argv.slice(2));
if (!reading.ok) {
  console.error(reading.message);
  process.exitCode = 2;
} else {
  process.exitCode = await run(reading.value).catch((error: unknown) => {
    console.error(error instanceof NoCompiler ? error.message : error);
    return error instanceof NoCompiler ? 2 : 1;
  });
}
if (process.connected) process.disconnect?.();

/**
 * `npm run torture -- --minutes M --seed N`: prints what it does and what it found, and ends with 1
 * where there was a violation.
 */
import { FAULT_KINDS } from "./plan.ts";
import { readArguments, type Arguments } from "./read-arguments.ts";
import { tellSummary } from "./tell-summary.ts";
import { torture } from "./torture.ts";

const DRAIN_MS = 120_000;
const QUIET_WITHIN_MS = 180_000;
/** Longer than a process is believed to be alive. */
const LONGEST_PAUSE_MS = 40_000;

async function run({ minutes, seed }: Arguments): Promise<number> {
  const stop = new AbortController();
  for (const event of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"])
    process.on(event, () => stop.abort(new Error("stopped before its end")));
  process.channel?.unref();
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  say(`torture of ${minutes} minutes, seed ${seed}`);
  const summary = await torture({
    seed,
    seconds: minutes * 60,
    gateways: 3,
    faults: FAULT_KINDS,
    faultSeconds: minutes * 60,
    gapMs: 4_000,
    longestPauseMs: LONGEST_PAUSE_MS,
    drainMs: DRAIN_MS,
    quietWithinMs: QUIET_WITHIN_MS,
    plant: null,
    databaseUrl: process.env["DATABASE_URL"],
    signal: stop.signal,
    say,
  });
  console.log(tellSummary(summary));
  return summary.violations.length === 0 ? 0 : 1;
}

const reading = readArguments(process.argv.slice(2), Date.now());
if (!reading.ok) {
  console.error(reading.message);
  process.exitCode = 2;
} else {
  process.exitCode = await run(reading.value).catch((error: unknown) => {
    console.error(error, `seed ${reading.value.seed}`);
    return 1;
  });
}
if (process.connected) process.disconnect?.();

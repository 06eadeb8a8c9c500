/**
 * The soak: `npm run soak` keeps a gateway at half of what it can for half an hour, and ends with 1
 * where something of it grows that should not, or its books do not agree.
 */
import { rmSync, writeFileSync } from "node:fs";
import { describeMachine } from "../describe-machine.ts";
import { formatNumber, withUnit } from "../format-value.ts";
import { compileNative, NoCompiler } from "../native/compile-native.ts";
import { startUpstream } from "../native/upstream.ts";
import { renderTable } from "../render-table.ts";
import { makeRunFolder } from "../run-folder.ts";
import { concludeSoak, type SoakConclusion, type SoakRow } from "./conclude-soak.ts";
import type { Paced } from "./mix.ts";
import { readSoakArguments, type SoakArguments } from "./read-soak-arguments.ts";
import { soak, type Note, type SoakFindings } from "./soak.ts";
import { SOAK_FIGURES } from "./soak-figures.ts";

const began = performance.now();

function say(line: string): void {
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(0)} s: ${line}\n`);
}

async function run(args: SoakArguments, signal: AbortSignal): Promise<number> {
  const native = compileNative();
  const folder = makeRunFolder();
  const upstream = await startUpstream(native.upstream);
  try {
    say(`a soak of ${args.minutes} minutes, WORKERS=${args.workers}`);
    const seconds = args.minutes * 60;
    const { workers } = args;
    const found = await soak({ native, upstream, folder, seconds, workers, signal, say });
    const concluded = concludeSoak(found);
    if (args.json !== null)
      writeFileSync(args.json, `${JSON.stringify({ ...found, ...concluded }, null, 2)}\n`);
    console.log(tell(found, concluded));
    return concluded.wrong.length === 0 ? 0 : 1;
  } finally {
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function tell(found: SoakFindings, concluded: SoakConclusion): string {
  const { cpu, cores, memoryGiB, kernel, node } = describeMachine();
  const { notes, audit } = found;
  const judged = notes.slice(concluded.warmUpNotes);
  return [
    `${cpu}, ${cores} cores, ${memoryGiB} GiB, ${kernel}, Node ${node}, ${audit?.database ?? "no PostgreSQL"}`,
    `${concluded.answers} answers in ${(notes.at(-1)?.seconds ?? 0).toFixed(0)} s, ${concluded.refused} refused; ${notes.length} notes, the first ${concluded.warmUpNotes} of them not judged`,
    "",
    renderTable([
      ["asked", "all it can", "in the mix", "p50", "p99", "p99 at the end"],
      ...found.kinds.map((kind, index) => kindRow(kind, index, judged)),
    ]),
    "",
    renderTable([
      ["figure", "begin", "middle", "end", "grown", "allowed", ""],
      ...concluded.rows.map(figureRow),
    ]),
    "",
    `ledger verify ended with ${audit?.verifyExitCode ?? "nothing"}; ${audit?.charges ?? 0} charges for ${audit?.answers ?? 0} answers`,
    concluded.wrong.length === 0
      ? "Nothing grows that should not."
      : `NOT GOOD: ${concluded.wrong.join("; ")}`,
  ].join("\n");
}

function kindRow({ name, capacity, rate }: Paced, index: number, notes: readonly Note[]): string[] {
  const ms = (value: number | undefined): string => withUnit(value ?? Number.NaN, "ms");
  const first = notes[0];
  return [
    name,
    `${formatNumber(capacity)}/s`,
    `${formatNumber(rate)}/s`,
    ms(first?.p50[index]),
    ms(first?.p99[index]),
    ms(notes.at(-1)?.p99[index]),
  ];
}

function figureRow({ name, begin, middle, end, growth }: SoakRow): string[] {
  const { title, unit } = SOAK_FIGURES[name];
  return [
    title,
    ...[begin, middle, end, growth.grown, growth.allowed].map((value) => withUnit(value, unit)),
    growth.holds ? "" : "grows",
  ];
}

const reading = readSoakArguments(process.argv.slice(2));
if (!reading.ok) {
  console.error(reading.message);
  process.exitCode = 2;
} else {
  const stop = new AbortController();
  for (const event of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"])
    process.on(event, () => stop.abort(new Error("stopped before its end")));
  process.channel?.unref();
  process.exitCode = await run(reading.value, stop.signal).catch((error: unknown) => {
    console.error(error instanceof NoCompiler ? error.message : error);
    return error instanceof NoCompiler ? 2 : 1;
  });
}
if (process.connected) process.disconnect?.();

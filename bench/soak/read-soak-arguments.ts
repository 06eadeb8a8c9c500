/** Reads the command line of the soak. */
import { parseArgs } from "node:util";

export interface SoakArguments {
  readonly minutes: number;
  /** Serving processes. */
  readonly workers: number;
  /** A file for every note. */
  readonly json: string | null;
}

export type SoakArgumentsReading =
  | { readonly ok: true; readonly value: SoakArguments }
  | { readonly ok: false; readonly message: string };

const USAGE = "usage: npm run soak -- [--minutes M] [--workers N] [--json FILE]";
const MINUTES = 30;
/** Below, there are too few notes to tell growth from chance. */
const LEAST_MINUTES = 2;
const MOST_MINUTES = 7 * 24 * 60;
const MOST_WORKERS = 64;

export function readSoakArguments(args: readonly string[]): SoakArgumentsReading {
  const refuse = (what: string): SoakArgumentsReading => ({
    ok: false,
    message: `${what}\n${USAGE}`,
  });
  let values: { minutes?: string; workers?: string; json?: string };
  try {
    const options = {
      minutes: { type: "string" },
      workers: { type: "string" },
      json: { type: "string" },
    } as const;
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const minutes = values.minutes === undefined ? MINUTES : Number(values.minutes);
  if (!(minutes >= LEAST_MINUTES && minutes <= MOST_MINUTES))
    return refuse(`--minutes: a number from ${LEAST_MINUTES} to ${MOST_MINUTES} is expected.`);
  const workers = values.workers === undefined ? 1 : Number(values.workers);
  if (!Number.isInteger(workers) || workers < 1 || workers > MOST_WORKERS)
    return refuse(`--workers: a whole number from 1 to ${MOST_WORKERS} is expected.`);
  return { ok: true, value: { minutes, workers, json: values.json ?? null } };
}

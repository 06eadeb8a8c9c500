/** Reads the command line of the torture. */
import { parseArgs } from "node:util";

export interface Arguments {
  readonly minutes: number;
  readonly seed: number;
}

export type ArgumentsReading =
  | { readonly ok: true; readonly value: Arguments }
  | { readonly ok: false; readonly message: string };

const USAGE = "usage: npm run torture -- [--minutes M] [--seed N]";
const MINUTES = 5;
const MOST_MINUTES = 24 * 60;
const HIGHEST_SEED = 999_999_999;

/** Without a seed, one by the time of day: it is printed, so that the run can be had again. */
export function readArguments(args: readonly string[], nowMs: number): ArgumentsReading {
  const refuse = (what: string): ArgumentsReading => ({ ok: false, message: `${what}\n${USAGE}` });
  let values: { minutes?: string; seed?: string };
  try {
    const options = { minutes: { type: "string" }, seed: { type: "string" } } as const;
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const minutes = values.minutes === undefined ? MINUTES : Number(values.minutes);
  if (!(minutes > 0 && minutes <= MOST_MINUTES))
    return refuse(`--minutes: a number above 0, up to ${MOST_MINUTES}, is expected.`);
  const seed = values.seed === undefined ? nowMs % (HIGHEST_SEED + 1) : Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0 || seed > HIGHEST_SEED)
    return refuse(`--seed: a whole number from 0 to ${HIGHEST_SEED} is expected.`);
  return { ok: true, value: { minutes, seed } };
}

/** Reads the command line of the panel at its size. */
import { parseArgs } from "node:util";
import type { Size } from "./fill-world.ts";

export interface SizeArguments {
  readonly size: Size;
  /** How often each answer is asked for. */
  readonly times: number;
  /** Kept, and filled once; null: one that goes with the run. */
  readonly folder: string | null;
  /** A file for all figures. */
  readonly json: string | null;
  /** How the database went about what was slow. */
  readonly plans: boolean;
  readonly browser: boolean;
}

export type SizeArgumentsReading =
  | { readonly ok: true; readonly value: SizeArguments }
  | { readonly ok: false; readonly message: string };

const USAGE = `usage: npm run panel-at-size -- [--requests N] [--accounts N] [--keys N] [--tasks N] [--times N] [--folder DIR] [--json FILE] [--plans] [--no-browser]`;
const NUMBERS = { requests: 1_000_000, accounts: 10_000, keys: 1_000, tasks: 20_000, times: 5 };
const MOST = 100_000_000;

export function readSizeArguments(args: readonly string[]): SizeArgumentsReading {
  const refuse = (what: string): SizeArgumentsReading => ({
    ok: false,
    message: `${what}\n${USAGE}`,
  });
  let values: {
    requests?: string;
    accounts?: string;
    keys?: string;
    tasks?: string;
    times?: string;
    folder?: string;
    json?: string;
    plans?: boolean;
    "no-browser"?: boolean;
  };
  try {
    const options = {
      requests: { type: "string" },
      accounts: { type: "string" },
      keys: { type: "string" },
      tasks: { type: "string" },
      times: { type: "string" },
      folder: { type: "string" },
      json: { type: "string" },
      plans: { type: "boolean" },
      "no-browser": { type: "boolean" },
    } as const;
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const numbers = { ...NUMBERS };
  for (const name of ["requests", "accounts", "keys", "tasks", "times"] as const) {
    const text = values[name];
    if (text === undefined) continue;
    const value = Number(text);
    if (!Number.isInteger(value) || value < (name === "tasks" ? 0 : 1) || value > MOST)
      return refuse(`--${name}: a whole number is expected.`);
    numbers[name] = value;
  }
  const { times, ...size } = numbers;
  return {
    ok: true,
    value: {
      size,
      times,
      folder: values.folder ?? null,
      json: values.json ?? null,
      plans: values.plans ?? false,
      browser: values["no-browser"] !== true,
    },
  };
}

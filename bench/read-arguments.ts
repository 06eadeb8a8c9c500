/** Reads the command line of the benchmark. */
import { parseArgs } from "node:util";
import { readCheckout, type Checkout } from "./peers/checkout.ts";
import { MEASURES } from "./measures/measures.ts";
import type { Measure } from "./measures/measure.ts";

export interface Arguments {
  readonly quick: boolean;
  /** Null: all that belong to the form. */
  readonly only: readonly Measure[] | null;
  readonly rounds: number;
  /** A file for the results besides the usual ones. */
  readonly json: string | null;
  /** Another checkout of Tollgate, to run beside this one. */
  readonly against: Checkout | null;
}

export type ArgumentsReading =
  | { readonly ok: true; readonly value: Arguments }
  | { readonly ok: false; readonly message: string };

const ROUNDS = 5;
const QUICK_ROUNDS = 3;
const MOST_ROUNDS = 100;

export function readArguments(args: readonly string[]): ArgumentsReading {
  const names = MEASURES.map(({ name }) => `"${name}"`).join(", ");
  const usage = `usage: npm run bench -- [--quick] [--only NAME] [--rounds N] [--json FILE] [--against DIR]\nmeasures: ${names}`;
  const refuse = (what: string): ArgumentsReading => ({ ok: false, message: `${what}\n${usage}` });
  let values: {
    quick?: boolean;
    only?: string[];
    rounds?: string;
    json?: string;
    against?: string;
  };
  try {
    const options = {
      quick: { type: "boolean" },
      only: { type: "string", multiple: true },
      rounds: { type: "string" },
      json: { type: "string" },
      against: { type: "string" },
    } as const;
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const quick = values.quick ?? false;
  const rounds =
    values.rounds === undefined ? (quick ? QUICK_ROUNDS : ROUNDS) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MOST_ROUNDS)
    return refuse(`--rounds: a whole number from 1 to ${MOST_ROUNDS} is expected.`);
  const only = values.only?.map((wanted) =>
    MEASURES.filter(({ name }) => name.startsWith(wanted.replaceAll("-", " "))),
  );
  const unknown = values.only?.find((_, index) => only?.[index]?.length === 0);
  if (unknown !== undefined) return refuse(`--only: there is no measure "${unknown}".`);
  const against = values.against === undefined ? null : readCheckout(values.against);
  if (typeof against === "string") return refuse(`--against: ${against}.`);
  return {
    ok: true,
    value: { quick, only: only?.flat() ?? null, rounds, json: values.json ?? null, against },
  };
}

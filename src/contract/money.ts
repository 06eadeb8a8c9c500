/** How money and time look in every public body (contract §2). */
import Type, { type TString } from "typebox";
import { CURRENCY } from "./enums/currency.ts";

export function roubles(description: string, example = "12.34"): TString {
  return Type.String({
    pattern: "^-?\\d{1,10}(\\.\\d{1,9})?$",
    description: `${description} Roubles, a decimal string, never a float.`,
    examples: [example],
  });
}

export function moment(description: string): TString {
  return Type.String({
    format: "date-time",
    description: `${description} ISO 8601, UTC.`,
    examples: ["2026-11-21T09:30:00.000Z"],
  });
}

export const Currency = Type.Literal(CURRENCY);

/** What a caller is shown of the usage of a completion: that which was charged. */
import {
  NO_USAGE,
  promptTokensOf,
  sameTextUsage,
  type TokenUsage,
} from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { readUsage, renderUsage } from "./read-usage.ts";

const DETAILS = ["prompt_tokens_details", "completion_tokens_details"] as const;

/**
 * Null where `said`, the upstream's own `usage`, says what was charged: it stays as it is, with all
 * that it says besides. Else the charge, over what it said. `NO_USAGE` is a charge that is not
 * known yet, or nothing: neither denies what was said.
 */
export function shownUsage(reported: unknown, charged: TokenUsage): Record<string, unknown> | null {
  if (!isRecord(reported)) return renderUsage(charged);
  if (charged === NO_USAGE || saysCharge(reported, charged)) return null;
  const rendered = renderUsage(charged);
  const details = DETAILS.map(
    (name) => [name, { ...fieldsOf(reported[name]), ...fieldsOf(rendered[name]) }] as const,
  );
  return { ...reported, ...rendered, ...Object.fromEntries(details) };
}

/** The same totals, and the same kinds by the rules of this protocol. */
function saysCharge(reported: Record<string, unknown>, charged: TokenUsage): boolean {
  const reading = readUsage(reported);
  if (reading.kind !== "valid") return false;
  // Mostly every kind is the same, and what both would be written as need not be compared.
  const same =
    sameTextUsage(reading.usage, charged) ||
    JSON.stringify(renderUsage(reading.usage)) === JSON.stringify(renderUsage(charged));
  return (
    same &&
    fitsWhereGiven(reported["prompt_tokens"], promptTokensOf(charged)) &&
    fitsWhereGiven(reported["completion_tokens"], charged.outputTokens)
  );
}

function fitsWhereGiven(count: unknown, charged: number): boolean {
  return count === undefined || Number(count) === charged;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

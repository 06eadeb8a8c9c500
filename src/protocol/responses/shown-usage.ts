/** What a caller is shown of the usage of a response: that which was charged. */
import { NO_USAGE, sameTextUsage, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { readResponsesUsage, renderResponsesUsage } from "./read-usage.ts";

const DETAILS = ["input_tokens_details", "output_tokens_details"] as const;

function fieldsOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/**
 * Null where `reported`, the upstream's own `usage`, says what was charged: it stays as it is, with
 * all that it says besides. Else the charge, over what it said. `NO_USAGE` is a charge that is not
 * known yet, or nothing: neither denies what was said.
 */
export function shownResponsesUsage(
  reported: unknown,
  charged: TokenUsage,
): Record<string, unknown> | null {
  if (!isRecord(reported)) return renderResponsesUsage(charged);
  if (charged === NO_USAGE) return null;
  const reading = readResponsesUsage(reported);
  const rendered = renderResponsesUsage(charged);
  const same =
    reading.kind === "valid" &&
    (sameTextUsage(reading.usage, charged) ||
      JSON.stringify(renderResponsesUsage(reading.usage)) === JSON.stringify(rendered));
  if (same) return null;
  const details = DETAILS.map(
    (name) => [name, { ...fieldsOf(reported[name]), ...fieldsOf(rendered[name]) }] as const,
  );
  return { ...reported, ...rendered, ...Object.fromEntries(details) };
}

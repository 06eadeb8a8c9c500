/** What a caller is shown of the usage of a message: that which was charged. */
import { NO_USAGE, sameTextUsage, type TokenUsage } from "../../kernel/token-usage.ts";
import { isRecord } from "../json/is-record.ts";
import { readMessagesUsage, renderMessagesUsage } from "./read-usage.ts";

/**
 * Null where `said`, the upstream's own `usage`, says what was charged: it stays as it is, with all
 * that it says besides. Else the charge, over what it said. `NO_USAGE` is a charge that is not
 * known yet, or nothing: neither denies what was said.
 */
export function shownMessagesUsage(
  reported: unknown,
  charged: TokenUsage,
): Record<string, unknown> | null {
  const rendered = renderMessagesUsage(charged);
  if (!isRecord(reported)) return rendered;
  const reading = readMessagesUsage(reported);
  const same =
    reading.kind === "valid" &&
    (sameTextUsage(reading.usage, charged) ||
      JSON.stringify(renderMessagesUsage(reading.usage)) === JSON.stringify(rendered));
  if (same || (charged === NO_USAGE && reading.kind !== "absent")) return null;
  const shown = new Map(Object.entries(reported));
  for (const [name, value] of Object.entries(rendered))
    if (value !== null || !shown.has(name)) shown.set(name, value);
  // What the charge adds to the totals is in them now.
  shown.delete("iterations");
  return Object.fromEntries(shown);
}

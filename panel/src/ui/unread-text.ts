/**
 * What a field hands to its form where it cannot read what was typed: marked, so that nothing takes
 * it for an amount.
 */

const MARK = "?";

export function unreadText(typed: string): string {
  return `${MARK}${typed}`;
}

/** What was typed; null where the value is one that was read. */
export function typedOf(value: string): string | null {
  return value.startsWith(MARK) ? value.slice(MARK.length) : null;
}

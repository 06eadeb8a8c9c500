/** Turns moments into the clock time of a zone, as the browser's picker writes it, and back. */

/** `2026-11-22T08:16` of a moment in UTC. */
export function toLocalTime(iso: string, timeZone: string): string {
  return wallClock(Date.parse(iso), timeZone);
}

/**
 * The moment, in UTC, at which the zone's clocks show this; the earlier one where they show it
 * twice.
 */
export function fromLocalTime(local: string, timeZone: string): string {
  const asUtc = Date.parse(`${local}Z`);
  const offsetAt = (ms: number): number =>
    Date.parse(`${wallClock(ms, timeZone)}Z`) - Math.floor(ms / 60_000) * 60_000;
  // The offset is taken where the guess lies first, then where that leads: enough across any change
  // of clocks.
  const first = asUtc - offsetAt(asUtc);
  return new Date(asUtc - offsetAt(first)).toISOString();
}

function wallClock(ms: number, timeZone: string): string {
  const text = new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "short",
    timeZone,
  }).format(ms);
  return text.replace(" ", "T");
}

/**
 * Reads a moment as people write it: ISO 8601 with a zone, or a plain date, which means its
 * midnight in UTC.
 */

const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

/**
 * Null when the text is not such a moment, or names a day that does not exist (the engine takes 30
 * February for 2 March).
 */
export function parseMoment(text: string): Date | null {
  const match = MOMENT.exec(text);
  if (match === null) return null;
  const [year, month, day] = match.slice(1, 4).map(Number);
  const daysInMonth = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
  const moment = new Date(text);
  return (day ?? 0) > daysInMonth || Number.isNaN(moment.getTime()) ? null : moment;
}

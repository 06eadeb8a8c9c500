/** Reads a moment of a query. */
import { Fault } from "../kernel/faults.ts";
import { parseMoment } from "../kernel/parse-moment.ts";

/**
 * Null when the parameter was not sent. A `+` of a zone may have arrived as a space, as forms write
 * it.
 */
export function readMoment(param: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const moment = parseMoment(text.replace(/ (?=\d{2}:\d{2}$)/, "+"));
  if (moment === null)
    throw new Fault("invalid_request", {
      message: `'${param}' must be a moment such as 2026-11-21T09:30:00Z, or a date.`,
      param,
    });
  return moment;
}

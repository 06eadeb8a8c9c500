/**
 * A header that may be sent once: its text, or null where it was not sent; of several the list of
 * them, which is no value that fits.
 */
export function soleHeader(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  return typeof header === "string" ? header : header.join(", ");
}

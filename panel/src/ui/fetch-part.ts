/** Fetches a part of the panel that is drawn later than the rest. */
import { unreachable } from "../api/api-error.ts";

/**
 * Without a network it is not even tried: a browser gives up a module that it could not fetch, and
 * fails at once when it is asked for again, until the whole page is loaded anew.
 */
export async function fetchPart<Part>(load: () => Promise<Part>): Promise<Part> {
  if (!navigator.onLine) throw unreachable();
  return load();
}

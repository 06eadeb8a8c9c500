/**
 * Refuses what a page of another origin sends to the panel: a browser sends the session's cookie
 * with it.
 */
import type { IncomingHttpHeaders } from "node:http";
import { Fault } from "../kernel/faults.ts";

/** @param origin of the panel, as `https://gateway.example`. Throws Fault("origin_refused"). */
export function checkOrigin(headers: IncomingHttpHeaders, origin: string): void {
  // Browsers say it, and no page can: https://www.w3.org/TR/fetch-metadata/
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") throw new Fault("origin_refused");
  if (
    headers.origin === undefined
      ? site === undefined
      : headers.origin !== origin && headers.origin !== ownOrigin(headers)
  ) {
    throw new Fault("origin_refused");
  }
}

/**
 * Where the page itself says that it was loaded from: it is asked by another name than that of the
 * configuration.
 */
function ownOrigin({ host }: IncomingHttpHeaders): string | null {
  return host === undefined ? null : `http://${host}`;
}

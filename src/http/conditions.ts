/**
 * Whether the conditions of a request hold for what is stored: entity tags and times (RFC
 * 9110 §13).
 */
import type { IncomingHttpHeaders } from "node:http";

export interface Validators {
  /** Strong, in quotes. */
  readonly etag: string;
  readonly modifiedAt: Date;
}

/** In the order of RFC 9110 §13.2.2; `not_modified`: the caller has it already. */
export function checkConditions(
  headers: IncomingHttpHeaders,
  { etag, modifiedAt }: Validators,
): "go" | "not_modified" | "failed" {
  const modified = wholeSeconds(modifiedAt);
  const ifMatch = headers["if-match"];
  if (ifMatch !== undefined) {
    if (ifMatch.trim() !== "*" && !tagsOf(ifMatch).includes(etag)) return "failed";
  } else {
    const since = momentOf(headers["if-unmodified-since"]);
    if (since !== null && modified > since) return "failed";
  }
  const ifNoneMatch = headers["if-none-match"];
  if (ifNoneMatch !== undefined) {
    const known =
      ifNoneMatch.trim() === "*" ||
      tagsOf(ifNoneMatch).some((tag) => tag.replace(/^W\//, "") === etag);
    return known ? "not_modified" : "go";
  }
  const since = momentOf(headers["if-modified-since"]);
  return since !== null && modified <= since ? "not_modified" : "go";
}

/**
 * Whether the range is wanted: the caller's part is of what is stored, or it did not say (§13.1.5).
 */
export function rangeApplies(
  headers: IncomingHttpHeaders,
  { etag, modifiedAt }: Validators,
): boolean {
  const ifRange = headers["if-range"];
  if (ifRange === undefined) return true;
  const text = (Array.isArray(ifRange) ? ifRange.join(", ") : ifRange).trim();
  return text.includes('"') ? text === etag : momentOf(text) === wholeSeconds(modifiedAt);
}

function tagsOf(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

/**
 * In one of the three forms of an HTTP date (§5.6.7); anything else is no condition. `Date.parse`
 * alone takes "1" for a year.
 */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/;

function momentOf(text: string | undefined): number | null {
  if (text === undefined || !HTTP_DATE.test(text)) return null;
  // The third form says no zone and means GMT.
  const moment = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(moment) ? null : moment;
}

/** Times in headers have no parts of a second. */
function wholeSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000) * 1000;
}

/** Whether the conditions of a request hold for what is stored: entity tags and times (RFC 9110 §13). */
import type { IncomingHttpHeaders } from "node:http";

export interface Validators {
  /** Strong, in quotes. */
  readonly etag: string;
  readonly modifiedAt: Date;
}

/** In the order of RFC 9110 §13.2.2; `not_modified`: the caller has it already. */
export function checkConditions(headers: IncomingHttpHeaders, { etag, modifiedAt }: Validators): "go" | "not_modified" | "failed" {
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
    const known = ifNoneMatch.trim() === "*" || tagsOf(ifNoneMatch).some((tag) => tag.replace(/^W\//, "") === etag);
    return known ? "not_modified" : "go";
  }
  const since = momentOf(headers["if-modified-since"]);
  return since !== null && modified <= since ? "not_modified" : "go";
}

/** Whether the range is wanted: the caller's part is of what is stored, or it did not say (§13.1.5). */
export function rangeApplies(headers: IncomingHttpHeaders, { etag, modifiedAt }: Validators): boolean {
  const ifRange = headers["if-range"];
  if (ifRange === undefined) return true;
  const text = (Array.isArray(ifRange) ? ifRange.join(", ") : ifRange).trim();
  return text.includes('"') ? text === etag : momentOf(text) === wholeSeconds(modifiedAt);
}

function tagsOf(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

function momentOf(text: string | undefined): number | null {
  const moment = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(moment) ? null : moment;
}

/** Times in headers have no parts of a second. */
function wholeSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000) * 1000;
}

/**
 * The one reading of a request's target: router, error family and log use it, and nothing looks at
 * the raw text again.
 */
import { Fault } from "../kernel/faults.ts";

export interface RequestTarget {
  /**
   * Begins with `/`, has no empty, `.` or `..` segment and no slash at its end; what need not be
   * percent-encoded is not.
   */
  readonly path: string;
  /** What stood after the question mark, without it. */
  readonly query: string;
}

export type TargetReading =
  | { readonly ok: true; readonly target: RequestTarget }
  | { readonly ok: false; readonly fault: Fault };

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * Takes the origin form (`/v1/models?limit=5`) and the absolute form (`http://any/v1/models`),
 * whose authority is ignored like the Host header: no decision hangs on either. One slash at the
 * end is tolerated. Anything that two readers could understand differently is refused: empty and
 * dot segments and backslashes with 404, broken percent-encoding and fragments with 400.
 */
export function readRequestTarget(raw: string): TargetReading {
  const text = raw.replace(ORIGIN, "");
  const mark = text.indexOf("?");
  const rawPath = mark === -1 ? text : text.slice(0, mark);
  const query = mark === -1 ? "" : text.slice(mark + 1);
  if (!VISIBLE_ASCII.test(raw) || raw.includes("#"))
    return refuse("invalid_request", "The path has characters that must be percent-encoded.");
  const path = plainPath(rawPath === "" && raw !== "" ? "/" : rawPath);
  if (path === null) return refuse("invalid_request", "The path is not percent-encoded properly.");
  if (!isClean(path))
    return refuse(
      "not_found",
      "There is nothing here. Write the path without empty segments, dot segments and backslashes.",
    );
  return {
    ok: true,
    target: { path: path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path, query },
  };
}

/**
 * Percent-encoded letters, digits and `-._~` are written plainly (RFC 3986 §6.2.2.2), so that one
 * path has one spelling.
 */
function plainPath(path: string): string | null {
  try {
    decodeURIComponent(path);
  } catch {
    return null;
  }
  return path.replaceAll(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded.toUpperCase();
  });
}

function isClean(path: string): boolean {
  if (!path.startsWith("/") || path.includes("\\")) return false;
  const segments = path.split("/").slice(1);
  if (segments.at(-1) === "") segments.pop();
  return segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

function refuse(code: "invalid_request" | "not_found", message: string): TargetReading {
  return { ok: false, fault: new Fault(code, { message }) };
}

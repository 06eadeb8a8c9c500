/** The cookie that a session of the panel is kept in: for our own host alone, and for no script. */
import type { IncomingHttpHeaders } from "node:http";
import { SESSION_SECONDS } from "../../accounts/sessions.store.ts";

/** Browsers take a cookie of the first name only over TLS, from this very host and for all of it (RFC 6265bis §4.1.3.2). */
const SECURE_NAME = "__Host-tollgate";
const PLAIN_NAME = "tollgate_session";
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** @param secure whether the panel is reached by https. */
export function sessionCookie(token: string, secure: boolean): string {
  return cookie(token, SESSION_SECONDS, secure);
}

/** Takes it away again. */
export function noSessionCookie(secure: boolean): string {
  return cookie("", 0, secure);
}

/** Null: there is none, it is no token of ours, or there are two of them and nobody can say whose is whose. */
export function readSessionCookie({ cookie: header = "" }: IncomingHttpHeaders, secure: boolean): string | null {
  const name = secure ? SECURE_NAME : PLAIN_NAME;
  const values = new Set(
    header
      .split(";")
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1)),
  );
  const [token] = values;
  return values.size === 1 && token !== undefined && TOKEN.test(token) ? token : null;
}

function cookie(value: string, maxAgeSeconds: number, secure: boolean): string {
  const name = secure ? SECURE_NAME : PLAIN_NAME;
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
}

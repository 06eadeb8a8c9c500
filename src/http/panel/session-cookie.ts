/**
 * The cookies of the panel, the session's, the device's and that of a change: for our own host alone,
 * and for no script.
 */
import type { IncomingHttpHeaders } from "node:http";
import { SESSION_SECONDS } from "../../accounts/sessions.store.ts";

/**
 * Browsers take a cookie of a `__Host-` name only over TLS, from this very host and for all of it
 * (RFC 6265bis §4.1.3.2).
 */
const NAMES = {
  session: { secure: "__Host-tollgate", plain: "tollgate_session", form: /^[A-Za-z0-9_-]{43}$/ },
  device: {
    secure: "__Host-tollgate-device",
    plain: "tollgate_device",
    form: /^[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$/,
  },
  signUp: {
    secure: "__Host-tollgate-sign-up",
    plain: "tollgate_sign_up",
    form: /^[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$/,
  },
  passkey: {
    secure: "__Host-tollgate-passkey",
    plain: "tollgate_passkey",
    form: /^[A-Za-z0-9_-]{43}$/,
  },
  changed: { secure: "__Host-tollgate-changed", plain: "tollgate_changed", form: /^1$/ },
  seeAs: {
    secure: "__Host-tollgate-see-as",
    plain: "tollgate_see_as",
    form: /^[0-9a-f-]{36}\.\d{13}\.[A-Za-z0-9_-]{43}$/,
  },
} as const;
type Name = keyof typeof NAMES;
/** As long as the link works. */
const SIGN_UP_SECONDS = 24 * 3600;
/** As long as its challenge is good. */
const PASSKEY_SECONDS = 300;
/** As long as browsers keep one at most. */
const DEVICE_SECONDS = 400 * 24 * 3600;

/** @param secure whether the panel is reached by https. */
export function sessionCookie(token: string, secure: boolean): string {
  return cookie("session", token, SESSION_SECONDS, secure);
}

/** Takes it away again. */
export function noSessionCookie(secure: boolean): string {
  return cookie("session", "", 0, secure);
}

/**
 * Null: there is none, it is no token of ours, or there are two of them and which one is ours is
 * unknown.
 */
export function readSessionCookie(headers: IncomingHttpHeaders, secure: boolean): string | null {
  return readCookie("session", headers, secure);
}

/** Stays when the session ends. */
export function deviceCookie(token: string, secure: boolean): string {
  return cookie("device", token, DEVICE_SECONDS, secure);
}

/** As with the session's. */
export function readDeviceCookie(headers: IncomingHttpHeaders, secure: boolean): string | null {
  return readCookie("device", headers, secure);
}

/** Of the browser that signed up, until the link of the mail comes back. */
export function signUpCookie(token: string, secure: boolean): string {
  return cookie("signUp", token, SIGN_UP_SECONDS, secure);
}

/** Takes it away again. */
export function noSignUpCookie(secure: boolean): string {
  return cookie("signUp", "", 0, secure);
}

/** As with the session's. */
export function readSignUpCookie(headers: IncomingHttpHeaders, secure: boolean): string | null {
  return readCookie("signUp", headers, secure);
}

/** Of a browser that begins a log-in by passkey: its challenge is good there alone. */
export function passkeyCookie(token: string, secure: boolean): string {
  return cookie("passkey", token, PASSKEY_SECONDS, secure);
}

/** Takes it away again. */
export function noPasskeyCookie(secure: boolean): string {
  return cookie("passkey", "", 0, secure);
}

/** As with the session's. */
export function readPasskeyCookie(headers: IncomingHttpHeaders, secure: boolean): string | null {
  return readCookie("passkey", headers, secure);
}

/** Of a browser whose member has just changed something: it is read where that was written. */
export function changedCookie(seconds: number, secure: boolean): string {
  return cookie("changed", "1", seconds, secure);
}

export function hasJustChanged(headers: IncomingHttpHeaders, secure: boolean): boolean {
  return readCookie("changed", headers, secure) !== null;
}

/**
 * With what an operator sees the panel as a customer. It stays longer than it is good: what the page
 * asks for after its time is refused, and not taken for the operator's own.
 */
export function seeAsCookie(grant: string, secure: boolean): string {
  return cookie("seeAs", grant, SESSION_SECONDS, secure);
}

/** Takes it away again. */
export function noSeeAsCookie(secure: boolean): string {
  return cookie("seeAs", "", 0, secure);
}

/** What says whose session it is. One to see with that is none of ours, or not one, is no good: "". */
export function readSessionCookies(
  headers: IncomingHttpHeaders,
  secure: boolean,
): { readonly token: string | null; readonly seeAs: string | null } {
  const isThere = valuesOf("seeAs", headers, secure).size > 0;
  return {
    token: readSessionCookie(headers, secure),
    seeAs: readCookie("seeAs", headers, secure) ?? (isThere ? "" : null),
  };
}

function nameOf(name: Name, secure: boolean): string {
  return secure ? NAMES[name].secure : NAMES[name].plain;
}

function valuesOf(
  name: Name,
  { cookie: header = "" }: IncomingHttpHeaders,
  secure: boolean,
): ReadonlySet<string> {
  const begin = `${nameOf(name, secure)}=`;
  const pairs = header.split(";").map((pair) => pair.trim());
  return new Set(
    pairs.filter((pair) => pair.startsWith(begin)).map((pair) => pair.slice(begin.length)),
  );
}

function readCookie(name: Name, headers: IncomingHttpHeaders, secure: boolean): string | null {
  const values = valuesOf(name, headers, secure);
  const [token] = values;
  return values.size === 1 && token !== undefined && NAMES[name].form.test(token) ? token : null;
}

function cookie(name: Name, value: string, maxAgeSeconds: number, secure: boolean): string {
  return `${nameOf(name, secure)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
}

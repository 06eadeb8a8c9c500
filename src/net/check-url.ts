/**
 * Holds a caller's URL against every rule that needs no network: usable when a task is created, and
 * again before each hop of a fetch.
 */
import { isIP } from "node:net";
import { isAllowedAddress, isReachable, parseRanges } from "./public-address.ts";

/** The closed list of what a URL itself can break, and what its sender is told. */
export const URL_RULES = {
  blob_url: "A blob: URL exists only in the browser that made it. Send a public http(s) URL.",
  file_url:
    "A file: URL points at your own machine. Upload the file and send the URL that the upload returns.",
  data_url:
    "data: URLs are not accepted. Upload the file and send the URL that the upload returns.",
  base64:
    "Files encoded in base64 are not accepted. Upload the file and send the URL that the upload returns.",
  relative_url: "This is not an absolute URL. It must begin with http:// or https://.",
  scheme: "Only http:// and https:// URLs are accepted.",
  url_too_long: "The URL is longer than 2048 characters.",
  url_characters:
    "The URL contains a space, a control character or a backslash. Percent-encode them.",
  not_a_url: "This is not a valid URL.",
  credentials: "The URL contains a user name or password. Send a URL without them.",
  internal_name:
    "The host name of the URL belongs to a private network. Only public hosts are accepted.",
  host_name: "The host name of the URL is not a valid one.",
  address_not_public: "The URL points at an address that is not public.",
  port: "The port of the URL is not accepted: only 80 and 443 are.",
} as const;

export type UrlRule = keyof typeof URL_RULES;

export interface UrlPolicy {
  /**
   * Address ranges that are let through though they are not public, and with any port
   * (FETCH_ALLOW).
   */
  readonly allow: readonly string[];
  /** Address ranges that are refused though they are public: the operator's own. */
  readonly deny?: readonly string[];
  /**
   * Hosts that may lie anywhere: `host:port`, or `host` for its ports 80 and 443 (an upstream's
   * `resultHosts`).
   */
  readonly allowHosts?: readonly string[];
  /** Instead of 80 and 443. */
  readonly ports?: readonly number[];
  /** Instead of 2048. */
  readonly maxCharacters?: number;
}

export type UrlVerdict =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly rule: UrlRule; readonly message: string };

const MAX_CHARACTERS = 2048;
/**
 * What a server wrote, not a person: signed addresses of object storages carry tokens of thousands
 * of characters.
 */
export const SERVER_URL_CHARACTERS = 8192;
const MAX_HOST_CHARACTERS = 253;
/** Those that a caller may ask for. */
export const WEB_PORTS: readonly number[] = [80, 443];

const NAMED_SCHEMES: ReadonlyMap<string, UrlRule> = new Map([
  ["blob", "blob_url"],
  ["file", "file_url"],
  ["data", "data_url"],
]);

/**
 * Names that are never public: reserved (RFC 6761, 6762, 7686, 8375, 9476), kept from delegation by
 * ICANN, or the habit of clusters and routers.
 */
const INTERNAL_SUFFIXES = new Set([
  ...[
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "private",
    "lan",
    "home",
    "corp",
    "onion",
    "i2p",
    "alt",
    "arpa",
  ],
  ...["test", "invalid", "svc", "consul", "workgroup"],
]);

/**
 * The beginnings of the usual kinds of media in base64: JPEG, PNG, GIF, RIFF (WebP, WAV), MP4, ID3
 * (MP3).
 */
const BASE64_MEDIA = /^(?:\/9j\/|iVBORw0KGgo|R0lGOD|UklGR|AAAA[A-Za-z0-9+/]{4}Z0eX|SUQz)/;

function refused(rule: UrlRule): UrlVerdict {
  return { ok: false, rule, message: URL_RULES[rule] };
}

/**
 * The URL as it is to be used (canonical, without fragment and trailing dot), or the first rule
 * that it breaks. Pure: names are not resolved. Where `allow` has ranges, the port of a host name
 * is judged when its addresses are known.
 */
export function checkUrl(text: string, policy: UrlPolicy): UrlVerdict {
  const written = breachOfText(text, policy.maxCharacters ?? MAX_CHARACTERS);
  if (written !== null) return refused(written);
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) return refused("not_a_url");
  if (authority.includes("@")) return refused("credentials");
  const url = URL.parse(text);
  if (url === null) return refused("not_a_url");
  url.hash = "";
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  const breach = isAllowedHost(url, policy.allowHosts ?? []) ? null : breachOfHost(url, policy);
  return breach === null ? { ok: true, url } : refused(breach);
}

function breachOfText(text: string, maxCharacters: number): UrlRule | null {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    if (text.trim() === "") return "not_a_url";
    return looksLikeBase64(text) ? "base64" : "relative_url";
  }
  const named = NAMED_SCHEMES.get(scheme);
  if (named !== undefined) return named;
  if (scheme !== "http" && scheme !== "https") return "scheme";
  if (text.length > maxCharacters) return "url_too_long";
  return /[\p{Cc}\p{Z}\p{Cs}\\]/u.test(text) ? "url_characters" : null;
}

function looksLikeBase64(text: string): boolean {
  const head = text.trimStart().slice(0, 4096);
  return (
    BASE64_MEDIA.test(head) || (head.length >= 40 && /^[A-Za-z0-9+/_\s-]+={0,2}\s*$/.test(head))
  );
}

function breachOfHost(url: URL, policy: UrlPolicy): UrlRule | null {
  const ports = policy.ports ?? WEB_PORTS;
  const address = literalOf(url);
  if (address !== null) {
    const ranges = { allow: parseRanges(policy.allow), deny: parseRanges(policy.deny ?? []) };
    if (!isReachable(address, ranges)) return "address_not_public";
    return ports.includes(portOf(url)) || isAllowedAddress(address, ranges) ? null : "port";
  }
  const labels = url.hostname.split(".");
  if (
    url.hostname.length > MAX_HOST_CHARACTERS ||
    !labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))
  )
    return "host_name";
  if (labels.length < 2 || INTERNAL_SUFFIXES.has(labels.at(-1) ?? "")) return "internal_name";
  return ports.includes(portOf(url)) || policy.allow.length > 0 ? null : "port";
}

/**
 * The address that a URL names itself, without brackets; null: it has a host name. URLs are
 * canonical, so there is one spelling of each.
 */
export function literalOf(url: URL): string | null {
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  return isIP(host) === 0 ? null : host;
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Whether the operator has named the host of a URL: then it may lie on a private address. */
export function isAllowedHost(url: URL, allowHosts: readonly string[]): boolean {
  return allowHosts.some((entry) => {
    const allowed = URL.parse(`http://${entry}`);
    if (allowed === null || allowed.hostname !== url.hostname) return false;
    // "http://host:80" has an empty port too, but the entry says it.
    const ports = /:\d+$/.test(entry) ? [portOf(allowed)] : WEB_PORTS;
    return ports.includes(portOf(url));
  });
}

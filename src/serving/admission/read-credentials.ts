/**
 * What a request's headers offer as credentials: secrets that can be keys of ours, or a sentence on
 * what was sent instead.
 */
import { classifyCredential } from "../../kernel/secrets.ts";

/** As node:http gives them: names in lower case. */
export type CredentialHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Credentials {
  /** Different secrets with a right checksum: none, one, or two. */
  readonly secrets: readonly string[];
  /** Why there is none, for the caller; never repeats what was sent. */
  readonly complaint: string;
}

const BEARER = "Bearer ";
const HOW = "Send the key as `Authorization: Bearer tg_live_…` or `x-api-key: tg_live_…`.";

export function readCredentials(headers: CredentialHeaders): Credentials {
  const apiKey = single(headers["x-api-key"]);
  const authorization = single(headers["authorization"]);
  const bearer = /^bearer\s+(\S.*)$/i.exec(authorization)?.[1]?.trim() ?? "";
  const offered = [apiKey, bearer].filter((text) => text !== "");
  const secrets = [...new Set(offered.filter((text) => classifyCredential(text) === "secret"))];
  if (secrets.length > 0) return { secrets, complaint: "" };
  if (offered.length > 0) return { secrets, complaint: nearest(offered) };
  if (authorization !== "" && !/^bearer$/i.test(authorization)) {
    return { secrets, complaint: `The authorization header is not of the Bearer scheme. ${HOW}` };
  }
  if (single(headers["cookie"]) !== "")
    return { secrets, complaint: `A cookie does not authorise API requests. ${HOW}` };
  return { secrets, complaint: `No API key was sent. ${HOW}` };
}

/**
 * What stands as the only credential in these headers, the way nearly everybody writes it; null for
 * whatever has to be looked at closer. It may be anything: only who finds a key by it knows that it
 * is one.
 */
export function soleCredential(headers: CredentialHeaders): string | null {
  const apiKey = headers["x-api-key"];
  const authorization = headers["authorization"];
  if (authorization === undefined) return typeof apiKey === "string" ? apiKey : null;
  return apiKey === undefined &&
    typeof authorization === "string" &&
    authorization.startsWith(BEARER)
    ? authorization.slice(BEARER.length)
    : null;
}

/**
 * Node joins a header that came several times with commas, or gives a list; neither is a
 * credential.
 */
function single(value: string | string[] | undefined): string {
  return typeof value === "string" ? asWritten(value.trim()) : "";
}

/**
 * Node reads the bytes of a header as Latin-1; what was not ASCII was written in UTF-8, as the `…`
 * of a copied mask is.
 */
function asWritten(text: string): string {
  return /[\x80-\xff]/.test(text) && !/[^\0-\xff]/.test(text)
    ? Buffer.from(text, "latin1").toString("utf8")
    : text;
}

interface Kind {
  matches(text: string): boolean;
  readonly complaint: string;
}

/**
 * From what is nearest to a key of ours to what is farthest: of two wrong credentials, the nearer
 * one is spoken of.
 */
const KINDS: readonly Kind[] = [
  {
    matches: (text) => classifyCredential(text) === "bad-checksum",
    complaint: "The API key is mistyped: its checksum is wrong. Copy it again.",
  },
  {
    matches: (text) => classifyCredential(text) === "mask",
    complaint:
      "What was sent is the mask of a key, which only helps to recognise it. Send the whole secret; if it is lost, create a new key.",
  },
  {
    matches: (text) => classifyCredential(text) === "hash",
    complaint:
      "What was sent looks like the hash of a key, which only names it. Send the secret itself; if it is lost, create a new key.",
  },
  {
    matches: (text) => text.startsWith("tg_live_"),
    complaint:
      "The API key is not whole: it has 46 characters in all, without spaces. Copy it again.",
  },
  {
    matches: (text) => text.startsWith("tg_"),
    complaint: `This is a token of the panel, which does not authorise API requests. ${HOW}`,
  },
  {
    matches: (text) => /^[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/.test(text),
    complaint: `This is a session token (JWT), which does not authorise API requests. ${HOW}`,
  },
  {
    matches: (text) => /^(?:sk|pk|rk)[-_]/.test(text),
    complaint: `This is a key of another service. ${HOW}`,
  },
  {
    // 32 bytes in base64url, as a cookie of the panel has them: alone, or copied with its name.
    matches: (text) => /^(?:[\w-]+=)?[\w-]{43}$/.test(text),
    complaint: `What was sent looks like a session token of the panel, which does not authorise API requests. ${HOW}`,
  },
];

function nearest(offered: readonly string[]): string {
  return (
    KINDS.find((kind) => offered.some((text) => kind.matches(text)))?.complaint ??
    `This is not an API key of this gateway. ${HOW}`
  );
}

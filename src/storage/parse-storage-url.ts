/**
 * Reads STORAGE_URL. What it says of a mistake never repeats the address: a secret that was not
 * encoded may be in any part of it.
 */
import type { S3Address } from "./s3-client.ts";

export type StoragePlace =
  | { readonly kind: "local"; readonly folder: string }
  | ({ readonly kind: "s3" } & S3Address);
export type StorageUrl =
  | { readonly ok: true; readonly place: StoragePlace }
  | { readonly ok: false; readonly message: string };

const FORM = "file:DIR or s3://KEY:SECRET@HOST[:PORT]/BUCKET?region=… is expected";
const PARAMETERS = ["region", "prefix", "tls", "http"];
const DEFAULT_REGION = "us-east-1";
/**
 * Amazon's own hosts: s3.amazonaws.com, s3.eu-west-1.amazonaws.com, s3-eu-west-1.amazonaws.com,
 * s3.cn-north-1.amazonaws.com.cn.
 */
const AMAZON_HOST = /^s3(?:[.-]([a-z0-9-]+))?\.amazonaws\.com(?:\.cn)?$/;

/** `message` says what to mend, for the operator. */
export function parseStorageUrl(text: string): StorageUrl {
  if (text.startsWith("file:")) return parseFolder(text.slice("file:".length));
  return text.startsWith("s3://") ? parseS3(text) : mistake(`${FORM}.`);
}

const mistake = (message: string): StorageUrl => ({ ok: false, message });

/** The path as it is written, nothing decoded; `file:///data` is `/data`. */
function parseFolder(rest: string): StorageUrl {
  const folder = rest.startsWith("///") ? rest.slice(2) : rest;
  if (folder === "" || folder.startsWith("//") || folder.includes("\0"))
    return mistake("file:DIR needs the path of a folder on this machine.");
  return { ok: true, place: { kind: "local", folder } };
}

function parseS3(text: string): StorageUrl {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // Not the parser's error: it repeats what it was given.
    return mistake(
      `${FORM}; write a slash in the secret as %2F, and other reserved characters likewise.`,
    );
  }
  const accessKeyId = decoded(url.username);
  const secretAccessKey = decoded(url.password);
  if (!accessKeyId || !secretAccessKey)
    return mistake(`${FORM}; the key or the secret is missing or not percent-encoded.`);
  if (url.hash !== "") return mistake("A # in the secret of STORAGE_URL is written as %23.");
  const query = url.searchParams;
  if ([...query.keys()].some((name) => !PARAMETERS.includes(name)))
    return mistake(`After the ? there may be ${PARAMETERS.join(", ")} only.`);

  const bucket = url.pathname.replace(/^\/|\/$/g, "");
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(bucket))
    return mistake("One bucket is named after the host: s3://KEY:SECRET@HOST/BUCKET.");
  if (!/^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])$/.test(url.hostname))
    return mistake(`${FORM}; the host is not valid.`);
  const plain = plainHttp(query);
  if (plain === null)
    return mistake(
      "http is 1 or 0, tls is true or false; http=1 sends files and reads them without encryption.",
    );

  const amazon = AMAZON_HOST.exec(url.host);
  const region = query.get("region") ?? amazon?.[1] ?? DEFAULT_REGION;
  if (!/^[A-Za-z0-9-]{1,64}$/.test(region))
    return mistake("region is a name such as eu-central-1.");
  const prefix = query.get("prefix") ?? "";
  if (
    !/^[A-Za-z0-9._/-]{0,256}$/.test(prefix) ||
    prefix.startsWith("/") ||
    /(^|\/)\.{0,2}\/|(^|\/)\.{1,2}$/.test(prefix)
  ) {
    return mistake(
      "prefix is a path without a leading slash, of letters, digits, dots, dashes and slashes.",
    );
  }
  const endpoint = amazon !== null && !plain ? null : `${plain ? "http" : "https"}://${url.host}`;
  const withSlash = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
  return {
    ok: true,
    place: {
      kind: "s3",
      endpoint,
      region,
      bucket,
      prefix: withSlash,
      accessKeyId,
      secretAccessKey,
    },
  };
}

/** Null when it is not a percent-encoded text. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Null for another value than the known ones. */
function plainHttp(query: URLSearchParams): boolean | null {
  const http = query.get("http") ?? "0";
  const tls = query.get("tls") ?? "true";
  if (!["0", "1"].includes(http) || !["true", "false"].includes(tls)) return null;
  return http === "1" || tls === "false";
}

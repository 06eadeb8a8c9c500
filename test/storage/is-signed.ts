/**
 * Whether a request to S3 carries a right signature of version 4 (s3rver takes any), in its headers
 * or, presigned, in its address.
 */
import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html and
 * sigv4-query-string-auth.html
 */
export function isSigned(request: IncomingMessage, accessKeyId: string, secret: string): boolean {
  const url = new URL(request.url ?? "", "http://s3");
  const presigned = url.searchParams.has("X-Amz-Signature");
  const { headers } = request;
  const reported = presigned
    ? ofAddress(url.searchParams)
    : ofHeader(headers.authorization ?? "", String(headers["x-amz-date"]));
  if (reported === null || reported.expiresAt < Date.now()) return false;
  const [key, ...scope] = reported.credential.split("/");
  const [day = "", region = "", service = "", end = ""] = scope;
  if (key !== accessKeyId || service !== "s3") return false;

  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const signedHeaders = reported.signedHeaders.split(";");
  const canonical = [
    request.method,
    url.pathname,
    query.toSorted().join("&"),
    ...signedHeaders.map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    signedHeaders.join(";"),
    presigned ? "UNSIGNED-PAYLOAD" : headers["x-amz-content-sha256"],
  ].join("\n");
  const text = [
    "AWS4-HMAC-SHA256",
    reported.date,
    scope.join("/"),
    createHash("sha256").update(canonical).digest("hex"),
  ].join("\n");
  const signingKey = [day, region, service, end].reduce<string | Buffer>(
    (secretSoFar, word) => hmac(secretSoFar, word),
    `AWS4${secret}`,
  );
  return (
    signedHeaders.includes("host") && hmac(signingKey, text).toString("hex") === reported.signature
  );
}

interface Claimed {
  readonly credential: string;
  readonly signedHeaders: string;
  readonly signature: string;
  readonly date: string;
  readonly expiresAt: number;
}

function ofHeader(authorization: string, date: string): Claimed | null {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/.exec(
      authorization,
    );
  const [, credential = "", signedHeaders = "", signature = ""] = found ?? [];
  return found === null
    ? null
    : { credential, signedHeaders, signature, date, expiresAt: Number.POSITIVE_INFINITY };
}

function ofAddress(query: URLSearchParams): Claimed {
  const reported = (name: string): string => query.get(`X-Amz-${name}`) ?? "";
  const date = reported("Date");
  const iso = date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z");
  const expiresAt = Date.parse(iso) + Number(reported("Expires")) * 1000;
  return {
    credential: reported("Credential"),
    signedHeaders: reported("SignedHeaders"),
    signature: reported("Signature"),
    date,
    expiresAt,
  };
}

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

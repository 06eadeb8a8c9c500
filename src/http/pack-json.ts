/**
 * Packs the JSON of answers for callers who take it packed: lists and descriptions, a sixth of
 * their size on the wire.
 */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { chooseEncoding } from "./choose-encoding.ts";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Less fits into one packet as it is. */
const WORTH_BYTES = 1400;
/**
 * No list of a page is as long; more would keep a thread that files and look-ups of names wait for.
 */
const AT_MOST_BYTES = 8 * 1024 * 1024;

/** Best first; on the second step of their scales, which costs a millisecond for 70 kB. */
const PACKERS: ReadonlyMap<string, (bytes: Buffer) => Promise<Buffer>> = new Map([
  [
    "br",
    (bytes: Buffer) => brotliAsync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  ],
  ["gzip", (bytes: Buffer) => gzipAsync(bytes, { level: 5 })],
]);

export interface PackedJson {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

interface Asked {
  readonly method: string;
  readonly acceptEncoding: string | string[] | undefined;
  /** What the answer says already of what it depends on. */
  readonly vary: string | string[] | undefined;
  /** It is another answer than a 200, or has a tag. */
  readonly asItIs: boolean;
}

/**
 * Only what is asked for with GET: the length of a packed text tells of a secret in it where a
 * stranger has a say in the rest (BREACH). Secrets are shown once, by the POST that makes them,
 * refusals repeat what was sent, and chats hold what others wrote: none of these is packed. An
 * answer with an `etag` goes out as it is, since the tag names its bytes.
 */
export async function packJson(
  text: string,
  { method, acceptEncoding, vary, asItIs }: Asked,
): Promise<PackedJson> {
  if (asItIs || (method !== "GET" && method !== "HEAD")) return { headers: {}, body: text };
  const headers = { vary: [vary ?? [], "accept-encoding"].flat().join(", ") };
  const sizeBytes = Buffer.byteLength(text);
  const encoding =
    sizeBytes < WORTH_BYTES || sizeBytes > AT_MOST_BYTES
      ? null
      : chooseEncoding(String(acceptEncoding ?? ""), [...PACKERS.keys()]);
  const pack = encoding === null ? undefined : PACKERS.get(encoding);
  if (encoding === null || pack === undefined) return { headers, body: text };
  return {
    headers: { ...headers, "content-encoding": encoding },
    body: await pack(Buffer.from(text)),
  };
}

/**
 * Tells when a caller sent a browser's or JSON's stand-in text in place of the file (spec,
 * `POST /v1/storage/upload`; contract §8).
 */
import type { FileHead } from "./meter.ts";

const BLOB = /^\s*blob:\S+\s*$/i;
const FILE = /^\s*file:\/\/\S*\s*$/i;
const DATA = /^\s*data:(?:[\w.+-]+\/[\w.+-]+)?(?:;[^,;\s]+)*,/i;
const BASE64 = /^[A-Za-z0-9+/\-_\s]+={0,2}\s*$/;

/**
 * The name of what was sent in place of a file; null for anything else. `isMedia` says whether
 * bytes begin as an image, video or audio file does.
 */
export async function findStandIn(
  head: FileHead,
  isMedia: (bytes: Buffer) => Promise<boolean>,
): Promise<string | null> {
  // Bytes one to one: none of these texts has a character beyond ASCII.
  const text = head.bytes.toString("latin1");
  if (head.whole && BLOB.test(text)) return "a blob: address";
  if (head.whole && FILE.test(text)) return "a file:// address";
  if (DATA.test(text)) return "a data: address";
  if (BASE64.test(text) && (await isMedia(Buffer.from(text, "base64")))) return "base64 text";
  return null;
}

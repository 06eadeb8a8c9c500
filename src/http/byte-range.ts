/** Which bytes of a file a `Range` header asks for (RFC 9110 §14). */
import type { ByteRange } from "../storage/object-storage.ts";

const ONE_RANGE = /^bytes=\s*(\d*)-(\d*)\s*$/i;

/**
 * Null: the whole file, as for every header that is not understood and for several ranges at once,
 * which a server may always answer so. `unsatisfiable`: the range lies behind the end.
 */
export function readByteRange(
  header: string,
  sizeBytes: number,
): ByteRange | "unsatisfiable" | null {
  const match = ONE_RANGE.exec(header);
  if (match === null) return null;
  const [, from = "", to = ""] = match;
  if (from === "") {
    if (to === "") return null;
    const count = Math.min(Number(to), sizeBytes);
    return count === 0 ? "unsatisfiable" : { first: sizeBytes - count, last: sizeBytes - 1 };
  }
  const first = Number(from);
  const last = to === "" ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== "" && Number(to) < first) return null;
  return first >= sizeBytes ? "unsatisfiable" : { first, last };
}

/**
 * Walks the outer elements of a Matroska or WebM file: do they fit the file? (RFC 8794 §4–6, RFC
 * 9559 §5)
 */
import type { ByteSource } from "./byte-source.ts";
import { refuse } from "./media-facts.ts";
import type { ProbeRefusal } from "./media-facts.ts";

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
/** An hour in clusters of a few seconds has some thousand. */
const MAX_ELEMENTS = 50_000;

interface Element {
  readonly id: number;
  readonly contentStart: number;
  /** Null: unknown, as live recordings have it; then nothing behind can be checked. */
  readonly end: number | null;
}

/** Null: nothing wrong was found. */
export async function walkElements(source: ByteSource): Promise<ProbeRefusal | null> {
  let at = 0;
  let until = source.bytes;
  for (let count = 0; at < until; count++) {
    if (count > MAX_ELEMENTS)
      return refuse("too_hard", `The file has more than ${MAX_ELEMENTS} elements.`);
    const element = await readElement(source, at);
    if (element === null)
      return refuse(at === 0 ? "corrupt" : "truncated", `There is no valid element at byte ${at}.`);
    if (at === 0 && element.id !== EBML)
      return refuse("corrupt", "The file does not begin with an EBML header.");
    if (element.end === null) return null;
    if (element.end > source.bytes)
      return refuse(
        "truncated",
        `The file breaks off: an element ends at byte ${element.end}, the file has ${source.bytes}.`,
      );
    if (element.end > until)
      return refuse("corrupt", `The element at byte ${at} is larger than the one that holds it.`);
    if (element.id === SEGMENT) {
      at = element.contentStart;
      until = element.end;
    } else at = element.end;
  }
  return null;
}

async function readElement(source: ByteSource, at: number): Promise<Element | null> {
  const bytes = await source.read(at, Math.min(at + 12, source.bytes) - 1);
  const idLength = Math.clz32(bytes[0] ?? 0) - 23;
  if (idLength > 4 || bytes.length <= idLength) return null;
  const sizeLength = Math.clz32(bytes[idLength] ?? 0) - 23;
  if (sizeLength > 8 || bytes.length < idLength + sizeLength) return null;
  let id = 0;
  for (const byte of bytes.subarray(0, idLength)) id = id * 256 + byte;
  let size = (bytes[idLength] ?? 0) & ((1 << (8 - sizeLength)) - 1);
  let unknown = size === (1 << (8 - sizeLength)) - 1;
  for (const byte of bytes.subarray(idLength + 1, idLength + sizeLength)) {
    size = size * 256 + byte;
    unknown &&= byte === 0xff;
  }
  const contentStart = at + idLength + sizeLength;
  return { id, contentStart, end: unknown ? null : contentStart + size };
}

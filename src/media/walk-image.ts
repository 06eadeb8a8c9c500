/**
 * Reads of a picture what the decoder does not tell, or not every time: whether its parts fit the
 * file, and how many frames an animated PNG has.
 */
import type { ImageType } from "./media-facts.ts";

export interface ImageOutline {
  /**
   * False: a part says that it is longer than what is left of the file, or the mark of the end is
   * missing.
   */
  readonly complete: boolean;
  readonly frames: number;
}

/** Of a JPEG without its last two bytes the decoder complains only now and then. */
const JPEG_END = Buffer.of(0xff, 0xd9);

/**
 * JPEG says nothing of its length, only where it ends: what is missing before that the decoder
 * finds.
 */
export function walkImage(bytes: Uint8Array, contentType: ImageType): ImageOutline {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (contentType === "image/png") return walkPng(view);
  if (contentType === "image/jpeg")
    return {
      complete: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(JPEG_END),
      frames: 1,
    };
  const complete =
    contentType !== "image/webp" ||
    (view.byteLength >= 12 && view.getUint32(4, true) + 8 <= view.byteLength);
  return { complete, frames: 1 };
}

/**
 * PNG (third edition) §5: chunks of length, name, content and checksum. `acTL` holds the number of
 * frames, `IEND` is the end.
 */
function walkPng(view: DataView): ImageOutline {
  let frames = 1;
  for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const name = view.getUint32(at + 4);
    if (name === 0x6163544c && view.getUint32(at) >= 4 && at + 12 <= view.byteLength)
      frames = Math.max(1, view.getUint32(at + 8));
    if (name === 0x49454e44) return { complete: true, frames };
  }
  return { complete: false, frames };
}

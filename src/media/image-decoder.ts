/**
 * The picture library, narrowed to what is let in: JPEG, PNG and WebP from memory, one thread,
 * nothing kept.
 */
import sharp from "sharp";
import type { Sharp } from "sharp";

/** 100 million: 10,000 × 10,000. A phone's largest ordinary mode has half of that. */
export const MAX_PIXELS = 100_000_000;
/** An image of more bytes is not decoded at all; the largest that any task takes has 30 MB. */
export const MAX_IMAGE_BYTES = 64 * 1024 * 1024;

export interface ImageDecoder {
  /**
   * Only what cannot be decoded throws, not what is merely odd: phones write such files every day.
   */
  open(bytes: Uint8Array): Sharp;
}

export function createImageDecoder(): ImageDecoder {
  sharp.cache(false);
  sharp.concurrency(1);
  // Without this the library draws an SVG that is named png, and opens some forty other formats.
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({
    operation: [
      "VipsForeignLoadJpegBuffer",
      "VipsForeignLoadPngBuffer",
      "VipsForeignLoadWebpBuffer",
    ],
  });
  return {
    open: (bytes) =>
      sharp(bytes, { failOn: "error", limitInputPixels: MAX_PIXELS, sequentialRead: true }),
  };
}

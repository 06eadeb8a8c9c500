/**
 * Writes a still picture as JPEG within a number of bytes, for providers that take nothing else.
 */
import type { ByteSource } from "./byte-source.ts";
import type { ImageDecoder } from "./image-decoder.ts";
import type { ImageType, DrawnVerdict } from "./media-facts.ts";
import { openImage, refuseUndecodable } from "./probe-image.ts";

/** 92 cannot be told from the original; below 50 a picture shows what was done to it. */
const QUALITIES = [92, 84, 74, 62, 50] as const;

/**
 * Transparent parts become white, the EXIF orientation is applied, the colours are sRGB, and
 * nothing else of the file remains: no metadata, no comment, nothing behind its end. `maxBytes`:
 * the JPEG has at most so many.
 */
export async function toJpeg(
  source: ByteSource,
  contentType: ImageType,
  maxBytes: number,
  decoder: ImageDecoder,
): Promise<DrawnVerdict> {
  const opened = await openImage(source, contentType, decoder);
  if (!opened.ok) return opened;
  if (opened.facts.frames > 1)
    return {
      ok: false,
      reason: "animated",
      message: `The picture moves (${opened.facts.frames} frames); send a still one.`,
    };
  let smallest = Infinity;
  for (const quality of QUALITIES) {
    try {
      const { data, info } = await decoder
        .open(opened.bytes)
        .autoOrient()
        .flatten({ background: "#ffffff" })
        .toColourspace("srgb")
        .jpeg({ quality })
        .toBuffer({ resolveWithObject: true });
      smallest = data.length;
      if (data.length <= maxBytes)
        return {
          ok: true,
          bytes: data,
          facts: {
            kind: "image",
            contentType: "image/jpeg",
            width: info.width,
            height: info.height,
            frames: 1,
          },
        };
    } catch (error) {
      return refuseUndecodable(contentType, error);
    }
  }
  return {
    ok: false,
    reason: "too_large",
    message: `As a JPEG the picture has ${smallest} bytes at the lowest quality that is used; ${maxBytes} are allowed. Send a smaller one.`,
  };
}

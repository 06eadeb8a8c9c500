/** Writes a still picture as a small PNG, for pages that show it as one of ours. */
import type { ByteSource } from "./byte-source.ts";
import type { ImageDecoder } from "./image-decoder.ts";
import type { DrawnVerdict, ImageType } from "./media-facts.ts";
import { openImage, refuseUndecodable } from "./probe-image.ts";
import type { Drawing } from "./worker-messages.ts";

/**
 * Inside the box, in its own proportions, never larger than it was; transparent parts stay so, and
 * nothing else of the file remains. Of one that moves, the first picture.
 */
export async function toPng(
  source: ByteSource,
  contentType: ImageType,
  { width, height, maxBytes }: Extract<Drawing, { format: "png" }>,
  decoder: ImageDecoder,
): Promise<DrawnVerdict> {
  const opened = await openImage(source, contentType, decoder);
  if (!opened.ok) return opened;
  try {
    const { data, info } = await decoder
      .open(opened.bytes)
      .autoOrient()
      .resize(width, height, { fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .png({ compressionLevel: 9 })
      .toBuffer({ resolveWithObject: true });
    if (data.length > maxBytes)
      return {
        ok: false,
        reason: "too_large",
        message: `As a PNG the picture has ${data.length} bytes; ${maxBytes} are allowed.`,
      };
    return {
      ok: true,
      bytes: data,
      facts: {
        kind: "image",
        contentType: "image/png",
        width: info.width,
        height: info.height,
        frames: 1,
      },
    };
  } catch (error) {
    return refuseUndecodable(contentType, error);
  }
}

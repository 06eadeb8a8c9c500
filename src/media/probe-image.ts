/** Measures a picture and decodes the whole of it: only that shows that its end is there. */
import type { ByteSource } from "./byte-source.ts";
import type { ImageDecoder } from "./image-decoder.ts";
import { MAX_IMAGE_BYTES, MAX_PIXELS } from "./image-decoder.ts";
import { refuse } from "./media-facts.ts";
import type { ImageFacts, ImageType, ProbeRefusal, ProbeVerdict } from "./media-facts.ts";
import { walkImage } from "./walk-image.ts";

type DecodedType = Extract<ImageType, "image/jpeg" | "image/png" | "image/webp">;

/** The picture's bytes and facts, before it was decoded; or why it will not be. */
export type OpenedImage =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly facts: ImageFacts }
  | ProbeRefusal;

export async function probeImage(
  source: ByteSource,
  contentType: ImageType,
  decoder: ImageDecoder,
): Promise<ProbeVerdict> {
  const opened = await openImage(source, contentType, decoder);
  if (!opened.ok) return opened;
  try {
    // Drawn small the picture is decoded to its last line at a fraction of the memory.
    await decoder.open(opened.bytes).resize(8, 8, { fit: "fill" }).raw().toBuffer();
  } catch (error) {
    return refuseUndecodable(opened.facts.contentType, error);
  }
  return { ok: true, facts: opened.facts };
}

export async function openImage(
  source: ByteSource,
  contentType: ImageType,
  decoder: ImageDecoder,
): Promise<OpenedImage> {
  if (!isDecoded(contentType))
    return refuse(
      "unsupported",
      `${nameOf(contentType)} images are not measured here; send JPEG, PNG or WebP.`,
    );
  if (source.bytes > MAX_IMAGE_BYTES)
    return refuse(
      "too_hard",
      `Images above ${MAX_IMAGE_BYTES / 1024 / 1024} MB are not decoded; this one has ${source.bytes} bytes.`,
    );
  const bytes = await source.read(0, source.bytes - 1);
  const { complete, frames } = walkImage(bytes, contentType);
  if (!complete)
    return refuse("truncated", `The end of this ${nameOf(contentType)} image is missing.`);
  try {
    const metadata = await decoder.open(bytes).metadata();
    const { width, height } = metadata.autoOrient;
    return {
      ok: true,
      bytes,
      facts: {
        kind: "image",
        contentType,
        width,
        height,
        frames: Math.max(frames, metadata.pages ?? 1),
      },
    };
  } catch (error) {
    return refuseUndecodable(contentType, error);
  }
}

export function refuseUndecodable(contentType: ImageType, error: unknown): ProbeRefusal {
  const text = error instanceof Error ? error.message : "";
  if (/pixel limit/i.test(text))
    return refuse(
      "too_many_pixels",
      `The image has more than ${MAX_PIXELS / 1_000_000} million pixels, the most that is decoded here.`,
    );
  if (/premature end|out of data|truncated/i.test(text))
    return refuse("truncated", `The end of this ${nameOf(contentType)} image is missing.`);
  if (/memory/i.test(text))
    return refuse("too_hard", "The image takes more memory than a file may.");
  return refuse("corrupt", `This ${nameOf(contentType)} image cannot be decoded.`);
}

function isDecoded(contentType: ImageType): contentType is DecodedType {
  return (
    contentType === "image/jpeg" || contentType === "image/png" || contentType === "image/webp"
  );
}

function nameOf(contentType: ImageType): string {
  return {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/webp": "WebP",
    "image/gif": "GIF",
    "image/avif": "AVIF",
  }[contentType];
}

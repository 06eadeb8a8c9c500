/**
 * Says what a file is: by its first bytes which parser looks into it, by the parser what it holds.
 * A crash there ends nothing else.
 */
import { ReadBudgetError, SourceError } from "./byte-source.ts";
import type { ByteSource } from "./byte-source.ts";
import { HEAD_BYTES, carriesDocument, detectType } from "./detect-type.ts";
import type { DetectedType } from "./detect-type.ts";
import type { ImageDecoder } from "./image-decoder.ts";
import { refuse } from "./media-facts.ts";
import type {
  AudioType,
  ImageType,
  DrawnVerdict,
  ProbeRefusal,
  ProbeVerdict,
  VideoType,
} from "./media-facts.ts";
import { probeAdts } from "./probe-adts.ts";
import { probeImage } from "./probe-image.ts";
import { findId3End, probeTracks } from "./probe-tracks.ts";
import { toJpeg } from "./to-jpeg.ts";
import { toPng } from "./to-png.ts";
import type { Drawing } from "./worker-messages.ts";

export async function probeFile(source: ByteSource, decoder: ImageDecoder): Promise<ProbeVerdict> {
  return guarded(async () => {
    const detected = await detect(source);
    if ("ok" in detected) return detected;
    const { contentType, media } = detected;
    if (media === "image") return probeImage(source, contentType as ImageType, decoder);
    if (contentType === "audio/aac") return probeAdts(source, await findId3End(source));
    return probeTracks(source, contentType as AudioType | VideoType);
  });
}

export async function convertFile(
  source: ByteSource,
  drawing: Drawing,
  decoder: ImageDecoder,
): Promise<DrawnVerdict> {
  return guarded<DrawnVerdict>(async () => {
    const detected = await detect(source);
    if ("ok" in detected) return detected;
    if (detected.media !== "image") return refuse("unsupported", "Only images are drawn anew.");
    const contentType = detected.contentType as ImageType;
    return drawing.format === "jpeg"
      ? toJpeg(source, contentType, drawing.maxBytes, decoder)
      : toPng(source, contentType, drawing, decoder);
  });
}

async function detect(source: ByteSource): Promise<DetectedType | ProbeRefusal> {
  if (source.bytes === 0) return refuse("not_media", "The file is empty.");
  const readHead = (from: number): Promise<Uint8Array> =>
    source.read(from, Math.min(from + HEAD_BYTES, source.bytes) - 1);
  const head = await readHead(0);
  const detected = await detectType(head);
  // An ID3 tag says only that a program wrote a tag: behind it and its cover may lie anything.
  const from = await findId3End(source);
  const inner = from === 0 ? head : await readHead(from);
  if (carriesDocument(head) || carriesDocument(inner))
    return refuse("not_media", "The file carries a web page, a script or a document.");
  if (detected.media === null)
    return refuse("not_media", "The file is not an image, video or audio of a known type.");
  const behind = from === 0 ? detected : await detectType(inner);
  return behind.media === null ? detected : behind;
}

/** What a parser throws is about the file, except when the file could not be read. */
async function guarded<T>(work: () => Promise<T | ProbeRefusal>): Promise<T | ProbeRefusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SourceError) throw error;
    if (error instanceof ReadBudgetError)
      return refuse("too_hard", "The file would have to be read over and over to be measured.");
    return refuse("corrupt", "The file cannot be read as what it says it is.");
  }
}

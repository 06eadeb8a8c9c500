/**
 * What a media parameter takes, as data: tables declare it, forms draw it, and files are held
 * against it (`media/media-rules.ts` adds to it).
 */
import type { MediaKind } from "../enums/media-kind.ts";

export type ImageType = "image/jpeg" | "image/png" | "image/webp";
export type VideoType = "video/mp4" | "video/quicktime" | "video/x-matroska";
export type AudioType = "audio/mpeg" | "audio/wav" | "audio/mp4" | "audio/aac";

/**
 * Everything is optional but the kind. Bounds are inclusive; a lower bound of 0 is none. Plain
 * JSON, so that forms can read it.
 */
export interface MediaDeclaration {
  readonly kind: MediaKind;
  readonly contentTypes?: readonly (ImageType | VideoType | AudioType)[];
  /** WebP is taken too, and made into JPEG before the provider sees it. */
  readonly webpToJpeg?: true;
  /** Of one file; megabytes of 1,048,576 bytes. */
  readonly maxMegabytes?: number;
  /** Both sides. "Larger than 340 px" is 341. */
  readonly minSidePx?: number;
  readonly maxSidePx?: number;
  /** Width × height. */
  readonly pixels?: readonly [min: number, max: number];
  /** Width ÷ height: 2:5 is 0.4. */
  readonly aspect?: readonly [min: number, max: number];
  readonly seconds?: readonly [min: number, max: number];
  readonly framesPerSecond?: readonly [min: number, max: number];
  /** Of all files of the parameter together. */
  readonly totalSeconds?: number;
  /** In place of an image a video is taken too, and held against these instead. */
  readonly orVideo?: Omit<MediaDeclaration, "kind" | "webpToJpeg" | "orVideo">;
}

export const JPEG_PNG: readonly ImageType[] = ["image/jpeg", "image/png"];
export const MP4_MOV: readonly VideoType[] = ["video/mp4", "video/quicktime"];

/** JPEG, PNG and WebP up to a size. */
export function stillImage(
  maxMegabytes: number,
  more: Omit<MediaDeclaration, "kind" | "maxMegabytes"> = {},
): MediaDeclaration {
  return { kind: "image", contentTypes: [...JPEG_PNG, "image/webp"], maxMegabytes, ...more };
}

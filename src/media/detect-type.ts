/**
 * Tells from a file's first bytes under which type it may be shown: the gate before everything
 * else, never a proof that the file is sound.
 */
import type { MediaKind } from "../contract/enums/media-kind.ts";
import type { MediaType } from "./media-facts.ts";

/** So many first bytes are wanted; fewer are all there is of a short file. */
export const HEAD_BYTES = 4100;

export interface DetectedType {
  /** Sent as `content-type`; `application/octet-stream` for all that is not shown. */
  readonly contentType: MediaType | "application/octet-stream";
  /** For the name that we give the file, without the dot. */
  readonly extension: string;
  /** False: it is only ever downloaded. */
  readonly inline: boolean;
  readonly media: MediaKind | null;
}

const UNKNOWN: DetectedType = {
  contentType: "application/octet-stream",
  extension: "bin",
  inline: false,
  media: null,
};

/** By what the detector calls them. Whatever is not here is not shown. */
const SHOWN: ReadonlyMap<string, readonly [contentType: MediaType, extension: string]> = new Map([
  ["jpg", ["image/jpeg", "jpg"]],
  ["png", ["image/png", "png"]],
  ["apng", ["image/png", "png"]],
  ["webp", ["image/webp", "webp"]],
  ["gif", ["image/gif", "gif"]],
  ["avif", ["image/avif", "avif"]],
  ["mp4", ["video/mp4", "mp4"]],
  ["m4v", ["video/mp4", "mp4"]],
  ["mov", ["video/quicktime", "mov"]],
  ["webm", ["video/webm", "webm"]],
  ["mkv", ["video/x-matroska", "mkv"]],
  ["mp3", ["audio/mpeg", "mp3"]],
  ["wav", ["audio/wav", "wav"]],
  ["m4a", ["audio/mp4", "m4a"]],
  ["m4b", ["audio/mp4", "m4a"]],
  ["aac", ["audio/aac", "aac"]],
  ["ogg", ["audio/ogg", "ogg"]],
  ["oga", ["audio/ogg", "ogg"]],
  ["opus", ["audio/ogg", "ogg"]],
  ["flac", ["audio/flac", "flac"]],
]);

/**
 * How the files begin that can be in the list above: nothing else reaches the detector's hundred
 * other parsers, which run in this process.
 */
const BEGINNINGS: readonly RegExp[] = [
  /^\xff\xd8\xff/,
  /^\x89PNG\r\n/,
  /^RIFF[^]{4}(WEBP|WAVE)/,
  /^GIF8[79]a/,
  /^[^]{4}(ftyp|moov|mdat|free|skip|wide|pnot)/,
  /^[^]E\xdf\xa3/,
  /^OggS/,
  /^fLaC/,
  /^ID3/,
  /^\xff[\xe0-\xff]/,
];

/**
 * What a browser or a reader could take for a document although the file begins like media. The
 * list is short because XMP, EXIF and ID3 texts of honest files hold all sorts of markup, but not
 * these.
 */
const DOCUMENT_MARKS =
  /<!doctype\s|<html[\s>/]|<head[\s>/]|<body[\s>/]|<script[\s>/]|<svg[\s>/]|<iframe[\s>/]|<\?php|%pdf-/i;

/**
 * True when the first bytes of something that begins like media also hold the marks of a document.
 */
export function carriesDocument(head: Uint8Array): boolean {
  return DOCUMENT_MARKS.test(latin1(head));
}

/**
 * `head`: the first 4,100 bytes, or the whole of a shorter file. Neither its name nor its declared
 * type counts. Text of any sort (HTML, SVG, XML, scripts), PDF, archives, programs, and media that
 * carries a document are all `application/octet-stream`.
 */
export async function detectType(head: Uint8Array): Promise<DetectedType> {
  const beginning = latin1(head.subarray(0, 16));
  if (!BEGINNINGS.some((pattern) => pattern.test(beginning)) || carriesDocument(head))
    return UNKNOWN;
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  const [contentType, extension] = SHOWN.get(found?.ext ?? "") ?? [];
  if (contentType === undefined || extension === undefined) return UNKNOWN;
  const media = contentType.slice(0, contentType.indexOf("/")) as MediaKind;
  return { contentType, extension, inline: true, media };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

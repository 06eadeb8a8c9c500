/** Tells what a file is by its beginning; names and headers are not looked at. */

/**
 * The media type, or null for what no model takes. `audio/mp4` and `video/mp4` are told apart by
 * what the file calls itself.
 */
export function detectMedia(head: Buffer): string | null {
  const at = (from: number, to: number): string => head.toString("latin1", from, to);
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return "image/jpeg";
  if (at(0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (at(0, 4) === "RIFF" && at(8, 12) === "WEBP") return "image/webp";
  if (at(0, 4) === "RIFF" && at(8, 12) === "WAVE") return "audio/wav";
  if (at(0, 4) === "GIF8") return "image/gif";
  if (at(4, 8) === "ftyp") {
    const brand = at(8, 12);
    if (brand === "qt  ") return "video/quicktime";
    if (brand === "avif" || brand.startsWith("hei") || brand === "mif1") return "image/avif";
    return /^M4[AB]/.test(brand) ? "audio/mp4" : "video/mp4";
  }
  if (at(4, 8) === "moov" || at(4, 8) === "wide" || at(4, 8) === "mdat") return "video/quicktime";
  if (head[0] === 0x1a && head[1] === 0x45 && head[2] === 0xdf && head[3] === 0xa3) {
    return at(0, 64).includes("webm") ? "video/webm" : "video/x-matroska";
  }
  if (at(0, 4) === "OggS") return "audio/ogg";
  if (at(0, 4) === "fLaC") return "audio/flac";
  if (at(0, 3) === "ID3") return "audio/mpeg";
  const second = head[1] ?? 0;
  if (head[0] === 0xff && (second & 0xf6) === 0xf0) return "audio/aac";
  return head[0] === 0xff && (second & 0xe0) === 0xe0 ? "audio/mpeg" : null;
}

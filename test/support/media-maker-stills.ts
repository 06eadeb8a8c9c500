/** Makes real pictures in the formats that matter, still and moving. */
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import type { Sharp } from "sharp";
import { pngChunk, u32, u8, withPngChunks } from "./media-maker-bytes.ts";

export type StillFormat = "jpeg" | "png" | "webp" | "gif" | "avif" | "tiff";

/** Noise, so that the file has some bytes to cut off. */
export function still(width: number, height: number, channels: 3 | 4 = 3): Sharp {
  const background = channels === 4 ? { r: 200, g: 40, b: 40, alpha: 0 } : { r: 200, g: 40, b: 40 };
  if (channels === 4) return sharp({ create: { width, height, channels, background } });
  return sharp({
    create: {
      width,
      height,
      channels,
      background,
      noise: { type: "gaussian", mean: 120, sigma: 40 },
    },
  });
}

export async function makeStill(format: StillFormat, width = 320, height = 240): Promise<Buffer> {
  return await still(width, height)[format]().toBuffer();
}

/** Two pictures in turn. */
export async function makeAnimation(format: "webp" | "gif"): Promise<Buffer> {
  const frames = await Promise.all([
    still(60, 40).png().toBuffer(),
    still(60, 40).negate().png().toBuffer(),
  ]);
  return await sharp(frames, { join: { animated: true } })
    [format]({ delay: [100, 100] })
    .toBuffer();
}

/** A PNG that says that it moves; its second frame is its first. */
export async function makeAnimatedPng(): Promise<Buffer> {
  return withPngChunks(await makeStill("png"), pngChunk("acTL", u32(2, 0)));
}

/** A PNG of a hundred megabytes of nothing, sent in a few kilobytes. */
export function makePixelBomb(side: number): Buffer {
  return pngOf(side, side, 1, deflateSync(Buffer.alloc((Math.ceil(side / 8) + 1) * side)));
}

/** One colour, so that it is made at once; it takes as much to unpack as any. */
export async function makePlainWebp(width: number, height: number): Promise<Buffer> {
  return await sharp({ create: { width, height, channels: 3, background: "#804020" } })
    .webp({ lossless: true, effort: 0 })
    .toBuffer();
}

/** A PNG of any size that ends behind its header. */
export function pngHeader(width: number, height: number): Buffer {
  return pngOf(width, height, 8, u8(0x78, 0x9c));
}

function pngOf(width: number, height: number, bits: number, data: Buffer): Buffer {
  const signature = u8(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return Buffer.concat([
    signature,
    pngChunk("IHDR", u32(width, height), u8(bits, 0, 0, 0, 0)),
    pngChunk("IDAT", data),
    pngChunk("IEND"),
  ]);
}

/** Paints a picture of the asked size: two colours that run into each other and a few discs. */
import sharp from "sharp";
import type { ImageSpec } from "./output-spec.ts";

export async function paintImage(path: string, spec: ImageSpec): Promise<void> {
  const { width, height } = spec;
  const hue = spec.tint * 22.5;
  const discs = [0, 1, 2].map((index) => {
    const radius = Math.min(width, height) / (4 + index);
    return `<circle cx="${width * (0.25 + 0.25 * index)}" cy="${height * (0.7 - 0.2 * index)}" r="${radius}" fill="${colour(hue + 40 * index, 70)}" fill-opacity="0.5"/>`;
  });
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="${colour(hue, 35)}"/><stop offset="1" stop-color="${colour(hue + 120, 60)}"/></linearGradient></defs>
    <rect width="${width}" height="${height}" fill="url(#g)"/>${discs.join("")}</svg>`;
  const picture = sharp(Buffer.from(drawing)).removeAlpha();
  // Little effort: a picture of 4096 × 4096 must not take seconds.
  await (
    spec.format === "png" ? picture.png({ compressionLevel: 2 }) : picture.jpeg({ quality: 85 })
  ).toFile(path);
}

function colour(hue: number, light: number): string {
  return `hsl(${Math.round(hue % 360)}, 60%, ${light}%)`;
}

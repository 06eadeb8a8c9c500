/**
 * An operator's one colour as hue and chroma of OKLCH (CSS Color 4 §9.2): lightness is fixed for
 * each part of the pages, so that no colour can break their contrast.
 */
import type { Installation } from "./panel/installation.ts";

/** Below, the palette has no colour left; above, greys and soft grounds shout. */
const CHROMA = { least: 0.02, most: 0.15 };

type Triple = readonly [number, number, number];

// sRGB, linear, to cone responses, and their cube roots to Oklab: Björn Ottosson's matrices.
const TO_CONES: readonly Triple[] = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_A: Triple = [1.9779984951, -2.428592205, 0.4505937099];
const TO_B: Triple = [0.0259040371, 0.7827717662, -0.808675766];

/** @param colour `#rrggbb`. */
export function tintOf(colour: string): NonNullable<Installation["tint"]> {
  const rgb = [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255));
  const cones = TO_CONES.map((row) => Math.cbrt(dot(row, rgb)));
  const [a, b] = [dot(TO_A, cones), dot(TO_B, cones)];
  const chroma = Math.min(Math.max(Math.hypot(a, b), CHROMA.least), CHROMA.most);
  const degrees = (Math.atan2(b, a) * 180) / Math.PI;
  return { hue: rounded((degrees + 360) % 360, 10), chroma: rounded(chroma, 10_000) };
}

function dot(row: Triple, values: readonly number[]): number {
  return row.reduce((sum, factor, at) => sum + factor * (values[at] ?? 0), 0);
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

function rounded(value: number, parts: number): number {
  return Math.round(value * parts) / parts;
}

/**
 * Protects: whatever colour an operator gives, everything that is written on the panel can be read,
 * in both themes, and neighbours in a chart differ in grey too.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];

/** Hue and chroma in OKLCH. */
const BRANDS = {
  teal: [178, 0.088],
  blue: [258, 0.15],
  violet: [295, 0.15],
  red: [25, 0.15],
  amber: [75, 0.12],
  green: [145, 0.13],
  "almost grey": [250, 0.02],
} as const;

/** WCAG 2.2: 4.5 for text (1.4.3), 3 for what one sees a control by (1.4.11). */
const TEXT = 4.5;
const SHAPE = 3;

const PAIRS: readonly (readonly [what: string, on: string, least: number])[] = [
  ...["surface", "ground", "surface-sunk", "surface-raised", "accent-soft"].flatMap((on) =>
    ["text", "text-quiet", "text-faint", "accent-strong"].map((what) => [what, on, TEXT] as const),
  ),
  ["accent-text", "accent", TEXT],
  ["accent-text", "accent-strong", TEXT],
  ...["good", "warn", "bad", "live"].flatMap((tone) => [
    [`${tone}-text`, `${tone}-soft`, TEXT] as const,
    [`${tone}-text`, "surface", TEXT] as const,
    [`${tone}-text`, "ground", TEXT] as const,
    [`${tone}-dot`, "surface", SHAPE] as const,
  ]),
  ["edge", "surface", SHAPE],
  ["accent", "surface", SHAPE],
  ["accent", "ground", SHAPE],
];

/** Stacked neighbours, of the default hue; the rest lies on any of them. */
const SERIES = ["chart-0", "chart-1", "chart-2", "chart-3", "chart-4"];
const NEIGHBOURS = { light: 2.4, dark: 2 } as const;

type Colour = readonly [lightness: number, chroma: number, hue: number];

const source = readFileSync(join(import.meta.dirname, "tokens.css"), "utf8");

/** A token as `tokens.css` has it, for a hue. */
function colourOf(token: string, theme: Theme, [hue, chroma]: readonly [number, number]): Colour {
  const declared = new RegExp(`--${token}: light-dark\\(([^;]+)\\);`).exec(source)?.[1];
  assert.ok(declared !== undefined, `there is no --${token} of two themes`);
  const sides = [...declared.matchAll(/oklch\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g)];
  assert.equal(sides.length, 2, `--${token} has not two colours`);
  const written = (sides[theme === "light" ? 0 : 1]?.[1] ?? "")
    .replaceAll("var(--brand-h)", String(hue))
    .replaceAll("var(--brand-c)", String(chroma));
  const parts = [...written.matchAll(/calc\(([\d.]+) ([*+]) ([\d.]+)\)|([\d.]+)/g)].map(
    ([, a, sign, b, plain]) =>
      plain === undefined
        ? sign === "*"
          ? Number(a) * Number(b)
          : Number(a) + Number(b)
        : Number(plain),
  );
  assert.equal(parts.length, 3, `--${token} is not three figures: ${written}`);
  return parts as unknown as Colour;
}

/** Relative luminance; what lies outside sRGB is clipped. By Ottosson's matrices of OKLab. */
function luminance([lightness, chroma, hue]: Colour): number {
  const turn = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(turn), chroma * Math.sin(turn)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (value: number): number => Math.min(1, Math.max(0, value));
  return (
    0.2126 * clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) +
    0.7152 * clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) +
    0.0722 * clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  );
}

function contrast(one: Colour, other: Colour): number {
  const [low, high] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

test("contrast is counted as WCAG does", () => {
  assert.equal(contrast([1, 0, 0], [0, 0, 0]).toFixed(2), "21.00");
  // #767676 on white.
  assert.equal(contrast([1, 0, 0], [0.5662, 0, 0]).toFixed(1), "4.5");
});

for (const theme of THEMES) {
  for (const [name, brand] of Object.entries(BRANDS)) {
    test(`${theme}, a brand of ${name}: all that is written can be read`, () => {
      const faults = PAIRS.flatMap(([what, on, least]) => {
        const found = contrast(colourOf(what, theme, brand), colourOf(on, theme, brand));
        return found < least ? [`${what} on ${on}: ${found.toFixed(2)}, wants ${least}`] : [];
      });
      assert.deepEqual(faults, []);
    });
  }

  test(`${theme}: series that lie on each other differ without their hue`, () => {
    const faults = SERIES.slice(1).flatMap((upper, at) => {
      const lower = SERIES[at] ?? "";
      const found = contrast(
        colourOf(upper, theme, BRANDS.teal),
        colourOf(lower, theme, BRANDS.teal),
      );
      return found < NEIGHBOURS[theme] ? [`${upper} on ${lower}: ${found.toFixed(2)}`] : [];
    });
    assert.deepEqual(faults, []);
  });
}

/**
 * What OpenAI's image fields are called in each table that makes images, as data: for callers of
 * `/v1/images/generations` and `/v1/images/edits`.
 */
import { T10 } from "./t10-image-generation.ts";
import { T14 } from "./t14-image-to-image.ts";
import { T19 } from "./t19-image-generation.ts";
import { T4 } from "./t04-image-editing.ts";
import { T6 } from "./t06-image-editing-newer.ts";
import type { TaskParameters, TaskTable, TaskTableId } from "./task-table.ts";

/** What a value of a field sets; one that is not here has no equivalent and is refused. */
type Meanings = Readonly<Record<string, TaskParameters>>;

export interface ImageMap {
  /** The parameter of the images to work on: OpenAI's `image`. */
  readonly images: string;
  /** Without an image it makes nothing: it is for edits alone. */
  readonly needsImages: boolean;
  /** The parameter that says how many are made, OpenAI's `n`; null: it makes one. */
  readonly count: string | null;
  /** Every size that is exactly a shape and a resolution of the table. */
  readonly size: Meanings;
  readonly quality: Meanings;
  readonly background: Meanings;
  readonly moderation: Meanings;
}

/** Named and left as the table has it. */
const USUAL: TaskParameters = {};
const USUAL_QUALITY: Meanings = { auto: USUAL, standard: USUAL };
/** No table makes an image that can be seen through. */
const BACKGROUND: Meanings = { auto: USUAL, opaque: USUAL };
const MODERATION: Meanings = { auto: USUAL };
const NSFW_MODERATION: Meanings = { auto: USUAL, low: { nsfwChecker: false } };

const T4_SHAPES: Readonly<Record<string, string>> = {
  "1:1": "square_hd",
  "3:4": "portrait_4_3",
  "2:3": "portrait_3_2",
  "9:16": "portrait_16_9",
  "4:3": "landscape_4_3",
  "3:2": "landscape_3_2",
  "16:9": "landscape_16_9",
  "21:9": "landscape_21_9",
};

const RESOLUTIONS: Readonly<Record<string, number>> = { "1K": 1024, "2K": 2048, "4K": 4096 };

export const IMAGE_MAPS: Readonly<Partial<Record<TaskTableId, ImageMap>>> = {
  T4: {
    images: "imageUrls",
    needsImages: true,
    count: "maxImages",
    size: {
      auto: USUAL,
      ...sizesOf(T4, Object.keys(T4_SHAPES), RESOLUTIONS, (shape, imageResolution) => ({
        imageSize: T4_SHAPES[shape],
        imageResolution,
      })),
    },
    quality: USUAL_QUALITY,
    background: BACKGROUND,
    moderation: NSFW_MODERATION,
  },
  T6: {
    images: "imageUrls",
    needsImages: true,
    count: null,
    size: {
      auto: USUAL,
      ...sizesOf(
        T6,
        valuesOf(T6, "aspectRatio"),
        { basic: 2048, high: 4096 },
        (aspectRatio, quality) => ({ aspectRatio, quality }),
      ),
    },
    quality: {
      auto: USUAL,
      low: { quality: "basic" },
      medium: { quality: "basic" },
      standard: { quality: "basic" },
      high: { quality: "high" },
      hd: { quality: "high" },
    },
    background: BACKGROUND,
    moderation: NSFW_MODERATION,
  },
  T10: {
    images: "imageUrls",
    needsImages: false,
    count: null,
    size: { auto: { aspectRatio: "auto" }, ...shapes(T10) },
    quality: USUAL_QUALITY,
    background: BACKGROUND,
    moderation: MODERATION,
  },
  T14: {
    images: "inputUrls",
    needsImages: true,
    count: null,
    size: { auto: { aspectRatio: "auto" }, ...shapes(T14) },
    quality: USUAL_QUALITY,
    background: BACKGROUND,
    moderation: MODERATION,
  },
  T19: {
    images: "imageUrls",
    needsImages: false,
    count: null,
    size: { auto: { aspectRatio: "auto" }, ...shapes(T19) },
    quality: USUAL_QUALITY,
    background: BACKGROUND,
    moderation: MODERATION,
  },
};

export type ImageEndpoint = "images.generations" | "images.edits";

/** Where the models of a table are served beside `tasks`. */
export function imageEndpoints(table: string): readonly ImageEndpoint[] {
  const map = IMAGE_MAPS[table as TaskTableId];
  if (map === undefined) return [];
  return map.needsImages ? ["images.edits"] : ["images.generations", "images.edits"];
}

function shapes(table: TaskTable): Meanings {
  const sides = Object.entries(RESOLUTIONS).filter(([name]) =>
    valuesOf(table, "resolution").includes(name),
  );
  return sizesOf(
    table,
    valuesOf(table, "aspectRatio"),
    Object.fromEntries(sides),
    (aspectRatio, resolution) => ({ aspectRatio, resolution }),
  );
}

function valuesOf(table: TaskTable, name: string): readonly string[] {
  const parameter = table.parameters[name];
  return parameter?.kind === "choice" ? parameter.values : [];
}

/**
 * A resolution is named by the longer side, and where that leaves a part of a pixel, as 1536×1024
 * does, by the shorter one. What the table's own rules refuse is left out.
 */
function sizesOf(
  table: TaskTable,
  ratios: readonly string[],
  sides: Readonly<Record<string, number>>,
  set: (ratio: string, resolution: string) => TaskParameters,
): Meanings {
  const all = ratios
    .filter((ratio) => /^\d+:\d+$/.test(ratio))
    .flatMap((ratio) =>
      Object.entries(sides).map(([resolution, side]) => ({
        size: sizeOf(ratio, side),
        means: set(ratio, resolution),
      })),
    )
    .filter(({ means }) => !table.rules.some((rule) => rule.breaks(means)));
  const named = (of: (size: RatioSizes) => string | null): (readonly [string, TaskParameters])[] =>
    all.flatMap(({ size, means }) => {
      const name = of(size);
      return name === null ? [] : [[name, means] as const];
    });
  const byShorter = named(({ byLonger, byShorter: size }) => (byLonger === null ? size : null));
  const meanings: Record<string, TaskParameters> = Object.fromEntries([
    ...byShorter,
    ...named(({ byLonger }) => byLonger),
  ]);
  return meanings;
}

interface RatioSizes {
  readonly byLonger: string | null;
  readonly byShorter: string | null;
}

function sizeOf(ratio: string, side: number): RatioSizes {
  const [across = 1, down = 1] = ratio.split(":").map(Number);
  const scaled = (part: number): string | null => {
    const [width, height] = [(side * across) / part, (side * down) / part];
    return Number.isInteger(width) && Number.isInteger(height) ? `${width}x${height}` : null;
  };
  return {
    byLonger: scaled(Math.max(across, down)),
    byShorter: scaled(Math.min(across, down)),
  };
}

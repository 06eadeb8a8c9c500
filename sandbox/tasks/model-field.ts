/** The fields of a model's input, as a provider documents them, and what a model makes of them. */
import type { JsonObject } from "../is-object.ts";

export type MediaKind = "image" | "video" | "audio";

/** What a URL in the input has to lead to. */
export interface MediaField {
  readonly kind: "media";
  readonly media: MediaKind;
  readonly types: readonly string[];
  /** Null: one URL; else a list of so many. */
  readonly list: { readonly min: number; readonly max: number } | null;
  readonly maxMb: number;
  readonly required?: true;
  /** Least and most. */
  readonly seconds?: readonly [number, number];
  readonly minPixels?: number;
}

export type ModelField =
  | MediaField
  | {
      readonly kind: "text";
      readonly required?: true;
      readonly min?: number;
      readonly max?: number;
    }
  | { readonly kind: "choice"; readonly required?: true; readonly values: readonly string[] }
  | {
      readonly kind: "number";
      readonly required?: true;
      readonly whole?: true;
      readonly min?: number;
      readonly max?: number;
    }
  | { readonly kind: "flag"; readonly required?: true; readonly only?: boolean }
  | { readonly kind: "texts"; readonly max: number }
  | {
      readonly kind: "json";
      check(value: unknown): string | null;
      media?(value: unknown): readonly FoundMedia[];
    };

/** A URL found in an input, and where. */
export interface FoundMedia {
  /** Such as `image_urls[0]`. */
  readonly path: string;
  readonly url: string;
  readonly field: MediaField;
}

export interface TaskModel {
  /** The tables of the specification that this model serves. */
  readonly tables: readonly string[];
  readonly fields: Readonly<Record<string, ModelField>>;
  /** What the fields mean together; null when they agree. */
  rule?(input: JsonObject): string | null;
  readonly makes: MakesImage | MakesVideo;
}

export interface MakesImage {
  readonly kind: "image";
  readonly format: "png" | "jpeg";
  /** Of the longer side. */
  side(input: JsonObject): number;
  /** Such as `16:9`; `auto` follows the first picture of the input. */
  aspect(input: JsonObject): string;
  count?(input: JsonObject): number;
}

export interface MakesVideo {
  readonly kind: "video";
  /** Of the shorter side. */
  side(input: JsonObject): number;
  aspect(input: JsonObject): string;
  /** `input`: as long as the first film or sound of the input. */
  seconds(input: JsonObject): number | "input";
  sound(input: JsonObject): boolean;
  /** A picture of the end as a second result. */
  lastFrame?(input: JsonObject): boolean;
}

const IMAGES = ["image/jpeg", "image/png", "image/webp"];

/** A list of pictures; JPEG, PNG and WebP where nothing else is said. */
export function images(
  min: number,
  max: number,
  maxMb: number,
  more: Partial<MediaField> = {},
): MediaField {
  return {
    kind: "media",
    media: "image",
    types: IMAGES,
    list: { min, max },
    maxMb,
    ...(min > 0 ? { required: true } : {}),
    ...more,
  };
}

/** One picture. */
export function image(maxMb: number, more: Partial<MediaField> = {}): MediaField {
  return { kind: "media", media: "image", types: IMAGES, list: null, maxMb, ...more };
}

/** A list of films; MP4 and QuickTime where nothing else is said. */
export function videos(
  min: number,
  max: number,
  maxMb: number,
  more: Partial<MediaField> = {},
): MediaField {
  const types = ["video/mp4", "video/quicktime"];
  return {
    kind: "media",
    media: "video",
    types,
    list: { min, max },
    maxMb,
    ...(min > 0 ? { required: true } : {}),
    ...more,
  };
}

export function text(
  max: number,
  more: { readonly required?: true; readonly min?: number } = {},
): ModelField {
  return { kind: "text", max, ...more };
}

export function choice(values: readonly string[], required?: true): ModelField {
  return { kind: "choice", values, ...(required === undefined ? {} : { required }) };
}

export const FLAG: ModelField = { kind: "flag" };

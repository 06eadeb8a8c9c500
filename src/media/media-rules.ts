/** What a parameter takes, as data: task models declare it, `check-media.ts` holds files against it. */
import type { MediaFacts, MediaKind, MediaType } from "./media-facts.ts";

/** Everything is optional but the kind. Bounds are inclusive; `[min, max]` may leave one side open with 0 or Infinity. */
export interface MediaRules {
  readonly kind: MediaKind;
  readonly contentTypes?: readonly MediaType[];
  /** WebP is taken besides `contentTypes`, and is to be made into JPEG before it goes on. */
  readonly webpToJpeg?: true;
  /** Of 1,048,576 bytes: who counts in millions is never refused. */
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
  /** Of a parameter that is a list. */
  readonly count?: readonly [min: number, max: number];
  readonly totalSeconds?: number;
  readonly totalMegabytes?: number;
}

export type MediaRule =
  | "kind"
  | "type"
  | "animated"
  | "size"
  | "min_side"
  | "max_side"
  | "pixels"
  | "aspect"
  | "duration"
  | "frame_rate"
  | "count"
  | "total_duration"
  | "total_size";

export interface Breach {
  readonly rule: MediaRule;
  /** A sentence for the customer, with what was measured and what is allowed. */
  readonly message: string;
}

/** Of one file among several; null: of all together. */
export interface SetBreach extends Breach {
  readonly index: number | null;
}

export interface MeasuredFile {
  readonly facts: MediaFacts;
  readonly bytes: number;
}

export const MEGABYTE = 1024 * 1024;

/** Where a reader may stop: a larger file is refused anyway. Null: these rules name no size. */
export function maxBytesOf(rules: MediaRules): number | null {
  return rules.maxMegabytes === undefined ? null : rules.maxMegabytes * MEGABYTE;
}

/** The file has to be converted with `MediaWorkers.toJpeg` before it goes on, and be held against the same rules once more. */
export function needsJpeg(facts: MediaFacts, rules: MediaRules): boolean {
  return rules.webpToJpeg === true && facts.contentType === "image/webp";
}

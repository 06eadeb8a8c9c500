/**
 * What a parameter takes, as data: task models declare it, `check-media.ts` holds files against it.
 */
import type { MediaKind } from "../contract/enums/media-kind.ts";
import type { MediaDeclaration } from "../contract/tasks/media-declaration.ts";
import type { WantedKind } from "../contract/tasks/file-mistake.ts";
import type { WordedMistake } from "../contract/tasks/task-mistake.ts";
import type { MediaFacts, MediaType } from "./media-facts.ts";

/**
 * What a media parameter declares, of any type that is measured here, and what only several files
 * together can break.
 */
export interface MediaRules extends Omit<MediaDeclaration, "contentTypes" | "orVideo"> {
  readonly orVideo?: Omit<
    MediaRules,
    "kind" | "webpToJpeg" | "orVideo" | "count" | "totalMegabytes"
  >;
  readonly contentTypes?: readonly MediaType[];
  /** Of a parameter that is a list. */
  readonly count?: readonly [min: number, max: number];
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

/** What one file breaks. */
export type Breach = WordedMistake & { readonly rule: MediaRule };

/** Of one file among several; null: of all together. */
export interface SetBreach {
  readonly rule: MediaRule;
  /** A sentence for the customer, with what was measured and what is allowed. */
  readonly message: string;
  readonly index: number | null;
}

export interface MeasuredFile {
  readonly facts: MediaFacts;
  readonly bytes: number;
}

export const MEGABYTE = 1024 * 1024;

/** Where a reader may stop: a larger file is refused anyway. Null: these rules name no size. */
export function maxBytesOf({ maxMegabytes, orVideo }: MediaRules): number | null {
  const most = Math.max(
    maxMegabytes ?? Infinity,
    orVideo === undefined ? 0 : (orVideo.maxMegabytes ?? Infinity),
  );
  return most === Infinity ? null : most * MEGABYTE;
}

/**
 * Those that hold for this kind of file: where a video is taken in place of an image, it has rules
 * of its own.
 */
export function rulesFor(kind: MediaKind, rules: MediaRules): MediaRules {
  return kind === "video" && rules.kind === "image" && rules.orVideo !== undefined
    ? { ...rules.orVideo, kind }
    : rules;
}

/**
 * The file has to be converted with `MediaWorkers.toJpeg` before it goes on, and be held against
 * the same rules once more.
 */
export function needsJpeg(facts: MediaFacts, rules: MediaRules): boolean {
  return rules.webpToJpeg === true && facts.contentType === "image/webp";
}

/** Where a video may stand in place of an image, both are wanted. */
export function wantedKind({ kind, orVideo }: Pick<MediaRules, "kind" | "orVideo">): WantedKind {
  return orVideo === undefined ? kind : "image_or_video";
}

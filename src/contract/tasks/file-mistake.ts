/**
 * What a measured file can break of what its parameter takes, with the figures that a sentence
 * about it names.
 */
import type { MediaKind } from "../enums/media-kind.ts";

/** A side that has no bound is absent. */
export interface AllowedRange {
  readonly min?: number;
  readonly max?: number;
}

export type WantedKind = MediaKind | "image_or_video";

export interface FileMistakes {
  readonly size: { readonly has: number; readonly limit: number };
  /** `type`: as people call it, e.g. JPEG. */
  readonly kind: { readonly wanted: WantedKind; readonly got: MediaKind; readonly type: string };
  /**
   * By its first bytes it is of another kind; `type` is absent where it is of none that is known.
   */
  readonly kind_by_start: { readonly wanted: WantedKind; readonly type?: string };
  readonly file_type: { readonly got: string; readonly allowed: readonly string[] };
  readonly animated: { readonly frames: number };
  readonly min_side: { readonly size: string; readonly limit: number };
  readonly max_side: { readonly size: string; readonly limit: number };
  readonly pixels: { readonly size: string; readonly has: number } & AllowedRange;
  readonly aspect: { readonly size: string; readonly has: number } & AllowedRange;
  readonly duration: { readonly has: number } & AllowedRange;
  /** `has` is absent where it cannot be measured. */
  readonly frame_rate: { readonly has?: number } & AllowedRange;
}

/** What the gateway and a media worker say to each other. */
import type { DrawnVerdict, ProbeVerdict } from "./media-facts.ts";

export interface WorkerJob {
  readonly kind: "job";
  readonly bytes: number;
  /** Null: the bytes are asked for with `read`. */
  readonly path: string | null;
  /** Null: only a probe is wanted. */
  readonly drawing: Drawing | null;
}

/** How a picture is to be written anew: in at most so many bytes, a PNG inside a box of pixels. */
export type Drawing =
  | { readonly format: "jpeg"; readonly maxBytes: number }
  | {
      readonly format: "png";
      readonly maxBytes: number;
      readonly width: number;
      readonly height: number;
    };

export type ParentMessage =
  | WorkerJob
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** The gateway could not read the source. */
  | { readonly kind: "unreadable" };

export type ChildMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "read"; readonly first: number; readonly last: number }
  | {
      readonly kind: "done";
      /** Null: the file could not be read, which says nothing about it. */
      readonly verdict: ProbeVerdict | DrawnVerdict | null;
      readonly problem: string | null;
      /** Read of the file, in bytes. */
      readonly fetched: number;
      /** Since the process began. */
      readonly cpuMs: number;
      readonly residentBytes: number;
    };

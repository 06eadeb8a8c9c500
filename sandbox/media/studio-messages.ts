/** What is said between the sandbox and the process that makes its media. */
import type { MeasuredMedia } from "./measure-media.ts";
import type { MediaSpec } from "./output-spec.ts";

export type StudioJob =
  | { readonly kind: "make"; readonly path: string; readonly spec: MediaSpec }
  | { readonly kind: "measure"; readonly path: string; readonly contentType: string };

export type StudioAnswer =
  | { readonly ok: true; readonly measured: MeasuredMedia | null }
  | { readonly ok: false; readonly message: string };

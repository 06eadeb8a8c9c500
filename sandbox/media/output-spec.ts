/** What a task has to make, in plain numbers. */

export interface ImageSpec {
  readonly kind: "image";
  readonly format: "png" | "jpeg";
  readonly width: number;
  readonly height: number;
  /** 0 to 15: the colours. */
  readonly tint: number;
}

export interface VideoSpec {
  readonly kind: "video";
  /** Even numbers. */
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly sound: boolean;
  readonly tint: number;
}

export type OutputSpec = ImageSpec | VideoSpec;

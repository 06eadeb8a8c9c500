/** What has to be made, in plain numbers. */

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

/** Formats as OpenAI calls them. */
export const SOUND_FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;

export interface SoundSpec {
  readonly kind: "sound";
  readonly format: (typeof SOUND_FORMATS)[number];
  readonly seconds: number;
  /** 0 to 15: how high. */
  readonly tint: number;
}

/** Of a task. */
export type OutputSpec = ImageSpec | VideoSpec;

export type MediaSpec = OutputSpec | SoundSpec;

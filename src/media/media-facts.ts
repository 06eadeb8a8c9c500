/**
 * What can be known of a media file from its bytes, and the closed list of reasons for knowing
 * nothing.
 */

export type ImageType = "image/jpeg" | "image/png" | "image/webp" | "image/gif" | "image/avif";
export type VideoType = "video/mp4" | "video/quicktime" | "video/webm" | "video/x-matroska";
export type AudioType =
  | "audio/mpeg"
  | "audio/wav"
  | "audio/mp4"
  | "audio/aac"
  | "audio/ogg"
  | "audio/flac"
  | "audio/webm"
  | "audio/x-matroska"
  | "audio/quicktime";
export type MediaType = ImageType | VideoType | AudioType;

export interface ImageFacts {
  readonly kind: "image";
  readonly contentType: ImageType;
  /** As shown: after the turn that the file's EXIF orientation asks for. */
  readonly width: number;
  readonly height: number;
  /** 1, or more for an animation. */
  readonly frames: number;
}

export interface VideoFacts {
  readonly kind: "video";
  readonly contentType: VideoType;
  /** As shown: turned and with square pixels. */
  readonly width: number;
  readonly height: number;
  /**
   * From the first sample to the end of the last one of any track, by the samples and not by what a
   * header says.
   */
  readonly durationSeconds: number;
  /** Over the first few hundred frames. */
  readonly framesPerSecond: number | null;
  /** `h264`, `h265`, `vp9`, …; null: not known here. */
  readonly videoCodec: string | null;
  /** Null also where there is no sound. */
  readonly audioCodec: string | null;
}

export interface AudioFacts {
  readonly kind: "audio";
  readonly contentType: AudioType;
  readonly durationSeconds: number;
  readonly codec: string | null;
}

export type MediaFacts = ImageFacts | VideoFacts | AudioFacts;

/**
 * - `not_media`: no image, video or audio; also a picture that carries a web page.
 * - `unsupported`: media of a type that is not measured here (GIF, AVIF).
 * - `truncated`: its end is missing. `corrupt`: it cannot be decoded. `lying`: its header and its
 *   samples tell different lengths.
 * - `too_many_pixels`: more than is decoded here.
 * - `too_hard`: it took more memory or time than a file may, or brought its reader down.
 */
export type ProbeReason =
  | "not_media"
  | "unsupported"
  | "truncated"
  | "corrupt"
  | "lying"
  | "too_many_pixels"
  | "too_hard";

export interface ProbeRefusal {
  readonly ok: false;
  readonly reason: ProbeReason;
  /** A sentence for the customer. */
  readonly message: string;
}

export type ProbeVerdict = { readonly ok: true; readonly facts: MediaFacts } | ProbeRefusal;

/**
 * What came of a conversion: besides what a probe can say, the picture may move, or stay too large
 * however it is written.
 */
export type DrawnVerdict =
  | { readonly ok: true; readonly bytes: Uint8Array; readonly facts: ImageFacts }
  | {
      readonly ok: false;
      readonly reason: ProbeReason | "animated" | "too_large";
      readonly message: string;
    };

export function refuse(reason: ProbeReason, message: string): ProbeRefusal {
  return { ok: false, reason, message };
}

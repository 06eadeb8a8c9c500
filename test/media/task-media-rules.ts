/**
 * Every rule about media in the tables T1–T19, as the declarations that task definitions will
 * carry.
 */
import type { MediaRules } from "../../src/media/media-rules.ts";

const JPEG_PNG = ["image/jpeg", "image/png"] as const;
const STILL = [...JPEG_PNG, "image/webp"] as const;
const MP4_MOV = ["video/mp4", "video/quicktime"] as const;

function images(
  count: readonly [number, number],
  maxMegabytes: number,
  more: Partial<MediaRules> = {},
): MediaRules {
  return { kind: "image", contentTypes: STILL, maxMegabytes, count, ...more };
}

/** By table, then by parameter. What the tables leave open is not here. */
export const TASK_MEDIA_RULES = {
  T1: { video: { kind: "video" } },
  T2: { imageUrls: images([1, 30], 30) },
  T3: {
    firstFrameUrl: images([0, 1], 30),
    lastFrameUrl: images([0, 1], 30),
    referenceImageUrls: images([0, 9], 30),
    referenceVideoUrls: {
      kind: "video",
      contentTypes: MP4_MOV,
      maxMegabytes: 50,
      count: [0, 3],
      seconds: [2, 15],
    },
    referenceAudioUrls: {
      kind: "audio",
      contentTypes: ["audio/wav", "audio/mpeg"],
      maxMegabytes: 15,
      count: [0, 3],
      seconds: [2, 15],
    },
  },
  T4: { imageUrls: images([1, 10], 10) },
  T5: {
    inputUrls: images([1, 1], 10, { webpToJpeg: true, minSidePx: 341, aspect: [0.4, 2.5] }),
    videoUrls: {
      kind: "video",
      contentTypes: MP4_MOV,
      maxMegabytes: 100,
      count: [1, 1],
      seconds: [3, 30],
      minSidePx: 341,
      aspect: [0.4, 2.5],
    },
  },
  T6: { imageUrls: images([1, 14], 10) },
  T7: { imageUrls: { kind: "image", contentTypes: JPEG_PNG, maxMegabytes: 10, count: [0, 2] } },
  T8: { imageUrl: images([1, 1], 10) },
  T9: {
    firstFrameUrl: images([0, 1], 30),
    lastFrameUrl: images([0, 1], 30),
    referenceImageUrls: images([0, 9], 30),
    referenceVideoUrls: { kind: "video", maxMegabytes: 50, count: [0, 3], seconds: [2, 15] },
    referenceAudioUrls: { kind: "audio", maxMegabytes: 15, count: [0, 3], seconds: [2, 15] },
  },
  T10: { imageUrls: images([1, 8], 10) },
  T11: {
    videoUrls: {
      kind: "video",
      contentTypes: [...MP4_MOV, "video/x-matroska"],
      maxMegabytes: 10,
      count: [1, 30],
    },
  },
  T12: { imageUrls: images([1, 30], 10) },
  T13: { imageUrl: images([1, 1], 10, { webpToJpeg: true }) },
  T14: { inputUrls: images([1, 16], 10) },
  T15: {
    imageUrls: images([0, 7], 20, { orVideo: { maxMegabytes: 100, seconds: [0, 30] } }),
    videoList: { kind: "video", maxMegabytes: 100, count: [0, 1], seconds: [0, 30] },
  },
  T16: {
    imageUrl: {
      kind: "image",
      contentTypes: JPEG_PNG,
      webpToJpeg: true,
      maxMegabytes: 10,
      count: [1, 1],
    },
  },
  T17: {
    inputUrls: images([1, 1], 10, { webpToJpeg: true, minSidePx: 301, aspect: [0.4, 2.5] }),
    videoUrls: {
      kind: "video",
      contentTypes: MP4_MOV,
      maxMegabytes: 100,
      count: [1, 1],
      seconds: [3, 30],
    },
  },
  T18: {
    imageUrl: images([1, 1], 10, { webpToJpeg: true }),
    audioUrl: {
      kind: "audio",
      contentTypes: ["audio/mpeg", "audio/wav", "audio/mp4", "audio/aac"],
      maxMegabytes: 10,
      count: [1, 1],
      seconds: [0, 15],
    },
  },
  T19: { imageUrls: images([1, 14], 30) },
} as const satisfies Record<string, Record<string, MediaRules>>;

/**
 * kie's own rules for Seedance and Wan, as a route that goes there may carry them in its `limits`:
 * they use every rule that there is.
 */
export const PROVIDER_MEDIA_RULES = {
  referenceImageUrls: images([0, 9], 30, { minSidePx: 300, maxSidePx: 6000, aspect: [0.4, 2.5] }),
  referenceVideoUrls: {
    kind: "video",
    contentTypes: MP4_MOV,
    maxMegabytes: 50,
    count: [0, 3],
    seconds: [2, 15],
    totalSeconds: 15,
    minSidePx: 300,
    maxSidePx: 6000,
    pixels: [409_600, 927_408],
    aspect: [0.4, 2.5],
    framesPerSecond: [24, 60],
  },
  referenceAudioUrls: {
    kind: "audio",
    contentTypes: ["audio/wav", "audio/mpeg"],
    maxMegabytes: 15,
    count: [0, 3],
    seconds: [2, 15],
    totalSeconds: 15,
  },
  wanImageUrls: images([1, 1], 10, { minSidePx: 256 }),
} as const satisfies Record<string, MediaRules>;

/**
 * Protects: every constraint on media in the tables T1–T19 is kept to the last byte, pixel and
 * tenth of a second, on both sides of it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMediaSet } from "../../src/media/check-media.ts";
import type { AudioFacts, ImageFacts, VideoFacts } from "../../src/media/media-facts.ts";
import { MEGABYTE, needsJpeg } from "../../src/media/media-rules.ts";
import type { MeasuredFile, MediaRule, MediaRules } from "../../src/media/media-rules.ts";
import { PROVIDER_MEDIA_RULES, TASK_MEDIA_RULES } from "./task-media-rules.ts";

const RULES = { ...TASK_MEDIA_RULES, provider: PROVIDER_MEDIA_RULES };

function image(facts: Partial<ImageFacts> = {}, bytes = 1000): MeasuredFile {
  return {
    bytes,
    facts: {
      kind: "image",
      contentType: "image/jpeg",
      width: 1000,
      height: 1000,
      frames: 1,
      ...facts,
    },
  };
}
function video(facts: Partial<VideoFacts> = {}, bytes = 1000): MeasuredFile {
  const base = {
    kind: "video",
    contentType: "video/mp4",
    width: 800,
    height: 800,
    durationSeconds: 5,
    framesPerSecond: 30,
  } as const;
  return { bytes, facts: { ...base, videoCodec: "h264", audioCodec: null, ...facts } };
}
function audio(facts: Partial<AudioFacts> = {}, bytes = 1000): MeasuredFile {
  return {
    bytes,
    facts: { kind: "audio", contentType: "audio/mpeg", durationSeconds: 5, codec: "mp3", ...facts },
  };
}
const size = (width: number, height: number): { width: number; height: number } => ({
  width,
  height,
});
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

type Case = readonly [what: string, files: readonly MeasuredFile[], broken: readonly MediaRule[]];

/** A list of images: each of the types, the bytes and the count, on either side of the border. */
function imageList(count: readonly [number, number], maxMegabytes: number, webp: boolean): Case[] {
  const [min, max] = count;
  const least = Math.max(min, 1);
  return [
    ["as many as may be", times(max, image()), []],
    ["one too many", times(max + 1, image()), ["count"]],
    ...(min > 0 ? [["none", [], ["count"]] as const] : [["none at all", [], []] as const]),
    ["JPEG", times(least, image()), []],
    ["PNG", times(least, image({ contentType: "image/png" })), []],
    [
      "WebP",
      times(least, image({ contentType: "image/webp" })),
      webp ? [] : times(least, "type" as const),
    ],
    ["a GIF", [image({ contentType: "image/gif" }), ...times(least - 1, image())], ["type"]],
    [
      "an animation",
      [
        image({ contentType: webp ? "image/webp" : "image/png", frames: 2 }),
        ...times(least - 1, image()),
      ],
      ["animated"],
    ],
    ["a video", [video(), ...times(least - 1, image())], ["kind"]],
    ["as large as may be", times(least, image({}, maxMegabytes * MEGABYTE)), []],
    [
      "a byte too large",
      [image({}, maxMegabytes * MEGABYTE + 1), ...times(least - 1, image())],
      ["size"],
    ],
  ];
}

const sides = (min: number): Case[] => [
  [`${min} px`, [image(size(min, min))], []],
  [`${min - 1} px`, [image(size(min - 1, min))], ["min_side"]],
];
const ratios: Case[] = [
  ["2:5", [image(size(400, 1000))], []],
  ["narrower than 2:5", [image(size(399, 1000))], ["aspect"]],
  ["5:2", [image(size(1000, 400))], []],
  ["wider than 5:2", [image(size(1001, 400))], ["aspect"]],
];
const motion: Case[] = [
  ["3 s", [video({ durationSeconds: 3 })], []],
  ["3 s as a codec pads them", [video({ durationSeconds: 2.9 })], []],
  ["too short", [video({ durationSeconds: 2.89 })], ["duration"]],
  ["30 s", [video({ durationSeconds: 30.1 })], []],
  ["too long", [video({ durationSeconds: 30.2 })], ["duration"]],
  ["QuickTime", [video({ contentType: "video/quicktime" })], []],
  ["WebM", [video({ contentType: "video/webm" })], ["type"]],
  ["MKV", [video({ contentType: "video/x-matroska" })], ["type"]],
  ["100 MB", [video({}, 100 * MEGABYTE)], []],
  ["a byte more", [video({}, 100 * MEGABYTE + 1)], ["size"]],
  ["two", [video(), video()], ["count"]],
  ["an image", [image()], ["kind"]],
];
const references = (type: "video" | "audio"): Case[] => {
  const one = (durationSeconds: number, bytes = 1000): MeasuredFile =>
    type === "video" ? video({ durationSeconds }, bytes) : audio({ durationSeconds }, bytes);
  const most = (type === "video" ? 50 : 15) * MEGABYTE;
  return [
    ["none", [], []],
    ["three", times(3, one(5)), []],
    ["four", times(4, one(3)), ["count"]],
    ["2 s", [one(1.9)], []],
    ["under 2 s", [one(1.8)], ["duration"]],
    ["15 s", [one(15.05)], []],
    ["over 15 s", [one(15.2)], ["duration"]],
    ["each of 15 s", times(3, one(15)), []],
    ["as large as may be", [one(5, most)], []],
    ["a byte too large", [one(5, most + 1)], ["size"]],
  ];
};

/** With a bound for all of them together, as a provider may have. */
const summed = (type: "video" | "audio"): Case[] => {
  const one = (durationSeconds: number): MeasuredFile =>
    type === "video" ? video({ durationSeconds }) : audio({ durationSeconds });
  return [
    ["15 s together", [one(5.05), one(5.05), one(5)], []],
    ["over 15 s together", [one(8), one(8)], ["total_duration"]],
    ["over 15 s alone", [one(15.2)], ["duration", "total_duration"]],
  ];
};

const CASES: Record<string, Record<string, readonly Case[]>> = {
  T1: {
    video: [
      ["any video", [video({ durationSeconds: 4000 }, 10 ** 9)], []],
      ["an image", [image()], ["kind"]],
      ["sound", [audio()], ["kind"]],
    ],
  },
  T2: { imageUrls: imageList([1, 30], 30, true) },
  T3: {
    firstFrameUrl: imageList([0, 1], 30, true),
    lastFrameUrl: imageList([0, 1], 30, true),
    referenceImageUrls: imageList([0, 9], 30, true),
    referenceVideoUrls: [
      ...references("video"),
      ["MKV", [video({ contentType: "video/x-matroska" })], ["type"]],
    ],
    referenceAudioUrls: [
      ...references("audio"),
      ["M4A", [audio({ contentType: "audio/mp4" })], ["type"]],
    ],
  },
  T4: { imageUrls: imageList([1, 10], 10, true) },
  T5: {
    inputUrls: [...imageList([1, 1], 10, true), ...sides(341), ...ratios],
    videoUrls: [
      ...motion,
      ["341 px", [video(size(341, 341))], []],
      ["340 px", [video(size(340, 341))], ["min_side"]],
      ["2:5", [video(size(400, 1000))], []],
      ["wider than 5:2", [video(size(1026, 410))], ["aspect"]],
      ["any longer side", [video(size(3851, 2000))], []],
    ],
  },
  T6: { imageUrls: imageList([1, 14], 10, true) },
  T7: { imageUrls: imageList([0, 2], 10, false) },
  T8: { imageUrl: imageList([1, 1], 10, true) },
  T9: {
    firstFrameUrl: imageList([0, 1], 30, true),
    lastFrameUrl: imageList([0, 1], 30, true),
    referenceImageUrls: imageList([0, 9], 30, true),
    referenceVideoUrls: references("video"),
    referenceAudioUrls: references("audio"),
  },
  T10: { imageUrls: imageList([1, 8], 10, true) },
  T11: {
    videoUrls: [
      [
        "MP4, QuickTime and MKV",
        [
          video(),
          video({ contentType: "video/quicktime" }),
          video({ contentType: "video/x-matroska" }),
        ],
        [],
      ],
      ["WebM", [video({ contentType: "video/webm" })], ["type"]],
      ["10 MB each", times(3, video({}, 10 * MEGABYTE)), []],
      ["a byte more", [video({}, 10 * MEGABYTE + 1)], ["size"]],
      ["thirty-one", times(31, video()), ["count"]],
      ["none", [], ["count"]],
    ],
  },
  T12: { imageUrls: imageList([1, 30], 10, true) },
  T13: { imageUrl: imageList([1, 1], 10, true) },
  T14: { inputUrls: imageList([1, 16], 10, true) },
  T15: {
    imageUrls: [
      ...imageList([0, 7], 20, true).filter(([what]) => what !== "a video"),
      ["a video among images", [image(), video({ durationSeconds: 30 }, 100 * MEGABYTE)], []],
      ["a video that is too large", [video({}, 100 * MEGABYTE + 1)], ["size"]],
      ["a video that is too long", [video({ durationSeconds: 31 })], ["duration"]],
      ["sound", [audio()], ["kind"]],
    ],
    videoList: [
      ["30 s of 100 MB", [video({ durationSeconds: 30 }, 100 * MEGABYTE)], []],
      ["too long", [video({ durationSeconds: 31 })], ["duration"]],
      ["too large", [video({}, 100 * MEGABYTE + 1)], ["size"]],
      ["two", [video(), video()], ["count"]],
    ],
  },
  T16: { imageUrl: imageList([1, 1], 10, true) },
  T17: { inputUrls: [...imageList([1, 1], 10, true), ...sides(301), ...ratios], videoUrls: motion },
  T18: {
    imageUrl: imageList([1, 1], 10, true),
    audioUrl: [
      ["MP3", [audio()], []],
      ["WAV", [audio({ contentType: "audio/wav" })], []],
      ["M4A", [audio({ contentType: "audio/mp4" })], []],
      ["AAC", [audio({ contentType: "audio/aac" })], []],
      ["OGG", [audio({ contentType: "audio/ogg", codec: "opus" })], ["type"]],
      ["Opus in WebM", [audio({ contentType: "audio/webm", codec: "opus" })], ["type"]],
      ["FLAC", [audio({ contentType: "audio/flac" })], ["type"]],
      ["a video container", [video({ audioCodec: "aac" })], ["kind"]],
      ["15 s", [audio({ durationSeconds: 15.07 })], []],
      ["longer", [audio({ durationSeconds: 15.2 })], ["duration"]],
      ["10 MB", [audio({}, 10 * MEGABYTE)], []],
      ["a byte more", [audio({}, 10 * MEGABYTE + 1)], ["size"]],
      [
        "all at once",
        [audio({ contentType: "audio/ogg", durationSeconds: 60 }, 11 * MEGABYTE)],
        ["size", "type", "duration"],
      ],
    ],
  },
  T19: { imageUrls: imageList([1, 14], 30, true) },
  provider: {
    wanImageUrls: [...imageList([1, 1], 10, true), ...sides(256)],
    referenceImageUrls: [
      ...imageList([0, 9], 30, true),
      ...sides(300),
      ...ratios,
      ["6000 px", [image(size(6000, 6000))], []],
      ["6001 px", [image(size(6001, 6000))], ["max_side"]],
    ],
    referenceVideoUrls: [
      ...summed("video"),
      ["24 frames per second", [video({ framesPerSecond: 23.976 })], []],
      ["23 frames per second", [video({ framesPerSecond: 23 })], ["frame_rate"]],
      ["60 frames per second", [video({ framesPerSecond: 60 })], []],
      ["61 frames per second", [video({ framesPerSecond: 61 })], ["frame_rate"]],
      [
        "nobody knows how many frames per second",
        [video({ framesPerSecond: null })],
        ["frame_rate"],
      ],
      ["640×640", [video(size(640, 640))], []],
      ["640×639", [video(size(640, 639))], ["pixels"]],
      ["927408 pixels", [video(size(976, 950))], []],
      ["more pixels", [video(size(976, 951))], ["pixels"]],
      ["MKV", [video({ contentType: "video/x-matroska" })], ["type"]],
    ],
    referenceAudioUrls: [
      ...summed("audio"),
      ["WAV", [audio({ contentType: "audio/wav" })], []],
      ["M4A", [audio({ contentType: "audio/mp4" })], ["type"]],
      ["a video", [video()], ["kind"]],
    ],
  },
};

for (const [table, parameters] of Object.entries(RULES))
  for (const [parameter, rules] of Object.entries<MediaRules>(parameters))
    test(`${table}.${parameter} keeps its borders`, () => {
      const cases = CASES[table]?.[parameter] ?? [];
      assert(cases.length >= 3, "a declaration needs cases on both sides of its borders");
      for (const [what, files, broken] of cases) {
        const found = checkMediaSet(files, rules);
        assert.deepEqual(
          found.map(({ rule }) => rule),
          broken,
          `${what}: ${JSON.stringify(found)}`,
        );
      }
    });

test("only what the tables say is converted: WebP of T5, T13, T16, T17 and T18", () => {
  const webp = image({ contentType: "image/webp" }).facts;
  const converting = Object.entries(RULES).filter(([, parameters]) =>
    Object.values<MediaRules>(parameters).some((rules) => needsJpeg(webp, rules)),
  );
  assert.deepEqual(
    converting.map(([table]) => table),
    ["T5", "T13", "T16", "T17", "T18"],
  );
  assert.equal(needsJpeg(image().facts, RULES.T5.inputUrls), false);
});

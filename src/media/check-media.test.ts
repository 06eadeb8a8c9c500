/**
 * Protects: a customer is told every broken rule at once, with what was measured and what is
 * allowed.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMedia, checkMediaSet } from "./check-media.ts";
import { maxBytesOf } from "./media-rules.ts";
import type { MeasuredFile, MediaRules } from "./media-rules.ts";

const rules: MediaRules = {
  kind: "video",
  contentTypes: ["video/mp4", "video/quicktime"],
  maxMegabytes: 10,
  minSidePx: 341,
  maxSidePx: 2000,
  pixels: [200_000, 1_000_000],
  aspect: [0.4, 2.5],
  seconds: [3, 30],
  framesPerSecond: [24, 60],
  count: [1, 2],
  totalSeconds: 31,
  totalMegabytes: 12,
};
const bad: MeasuredFile = {
  bytes: 10 * 1024 * 1024 + 1,
  facts: {
    kind: "video",
    contentType: "video/webm",
    width: 3000,
    height: 300,
    durationSeconds: 31.5,
    framesPerSecond: 12,
    videoCodec: "vp9",
    audioCodec: null,
  },
};

const reported = (...[file, held]: Parameters<typeof checkMedia>) =>
  checkMedia(file, held).map(({ rule, message }) => ({ rule, message }));

test("all breaches of one file, with figures", () => {
  assert.deepEqual(reported(bad, { ...rules, pixels: [0, 800_000] }), [
    { rule: "size", message: "The file has 10.01 MB; at most 10 MB are allowed." },
    { rule: "type", message: "The file is WebM; allowed: MP4, QuickTime." },
    { rule: "min_side", message: "It is 3000×300 px; each side must have at least 341 px." },
    { rule: "max_side", message: "It is 3000×300 px; each side must have at most 2000 px." },
    {
      rule: "pixels",
      message: "It is 3000×300 px, 900000 pixels in all; at most 800000 pixels are allowed.",
    },
    {
      rule: "aspect",
      message: "It is 3000×300 px, a ratio of 10; 0.4 to 2.5 (width ÷ height) are allowed.",
    },
    { rule: "duration", message: "It lasts 31.5 seconds; 3 to 30 seconds are allowed." },
    {
      rule: "frame_rate",
      message: "It has 12 frames per second; 24 to 60 frames per second are allowed.",
    },
  ]);
});

test("a file of another kind is told so, and its size, and nothing that does not apply", () => {
  const sound: MeasuredFile = {
    bytes: 5,
    facts: { kind: "audio", contentType: "audio/mp4", durationSeconds: 1, codec: "aac" },
  };
  assert.deepEqual(reported(sound, rules), [
    { rule: "kind", message: "This must be a video; the file is audio (M4A)." },
  ]);
});

test("what an MPEG-4 file holds is named where it is not what is called M4A", () => {
  const holding = (codec: string | null): MeasuredFile => ({
    bytes: 5,
    facts: { kind: "audio", contentType: "audio/mp4", durationSeconds: 1, codec },
  });
  const sounds: MediaRules = { kind: "audio", contentTypes: ["audio/mpeg", "audio/mp4"] };
  assert.deepEqual(reported(holding("opus"), sounds), [
    { rule: "type", message: "The file is Opus (MP4); allowed: MP3, M4A." },
  ]);
  assert.deepEqual(reported(holding("opus"), { kind: "audio" }), []);
  for (const codec of ["aac", "mp3", null]) assert.deepEqual(reported(holding(codec), sounds), []);
});

test("a set is checked file by file and as a whole", () => {
  const breaches = checkMediaSet([bad, bad, bad], { ...rules, contentTypes: ["video/webm"] });
  assert.deepEqual(
    breaches.filter(({ index }) => index === null),
    [
      { rule: "count", message: "There are 3 files; 1 to 2 may be given.", index: null },
      {
        rule: "total_duration",
        message: "The files last 94.5 seconds together; at most 31 are allowed.",
        index: null,
      },
      {
        rule: "total_size",
        message: "The files have 30.01 MB together; at most 12 MB are allowed.",
        index: null,
      },
    ],
  );
  assert.deepEqual([...new Set(breaches.map(({ index }) => index))], [0, 1, 2, null]);
});

test("a size limit is counted in MiB", () => {
  assert.equal(maxBytesOf(rules), 10_485_760);
  assert.equal(maxBytesOf({ kind: "image" }), null);
});

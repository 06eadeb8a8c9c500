/**
 * Protects: what a file is, is said by its samples and its last line; what is cut off, lies or only
 * looks like media is refused with the reason.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { checkMedia } from "../../src/media/check-media.ts";
import type { MediaFacts, ProbeReason } from "../../src/media/media-facts.ts";
import { createMediaWorkers } from "../../src/media/media-workers.ts";
import type { MediaWorkers } from "../../src/media/media-workers.ts";
import type { MediaRule, MediaRules } from "../../src/media/media-rules.ts";
import {
  box,
  bytes,
  fullBox,
  id3,
  id3Cover,
  lieAboutLength,
  movie,
  noise,
  pngChunk,
  u32,
  u8,
  withJpegComment,
  withMovieBox,
  withPngChunks,
} from "../support/media-maker-bytes.ts";
import { makeAnimatedPng, makeAnimation, makeStill, still } from "../support/media-maker-stills.ts";
import { makeMedia } from "../support/media-maker.ts";
import type { MediaSpec } from "../support/media-maker.ts";
import { PROVIDER_MEDIA_RULES, TASK_MEDIA_RULES } from "./task-media-rules.ts";

type Made = MediaSpec | (() => Buffer | Promise<Buffer>);
/** What the facts must have; lengths may be off by a tenth of a second. */
type Expected = Partial<
  Record<
    | "kind"
    | "contentType"
    | "width"
    | "height"
    | "frames"
    | "durationSeconds"
    | "framesPerSecond"
    | "videoCodec"
    | "audioCodec"
    | "codec",
    unknown
  >
>;
type Row = readonly [
  name: string,
  made: Made,
  verdict: Expected | ProbeReason,
  rules?: MediaRules,
  broken?: readonly MediaRule[],
];

const { T5, T7, T11, T18 } = TASK_MEDIA_RULES;
const { referenceVideoUrls, wanImageUrls } = PROVIDER_MEDIA_RULES;
const seconds = (durationSeconds: number, codec: string): Expected => ({
  kind: "audio",
  durationSeconds,
  codec,
});
const film = {
  kind: "video",
  width: 128,
  height: 96,
  durationSeconds: 2,
  framesPerSecond: 25,
} as const;

const folder = await mkdtemp(join(tmpdir(), "tollgate-media-"));
const kept = new Map<string, Promise<string>>();
let workers: MediaWorkers;

before(() => {
  workers = createMediaWorkers({ readable: [folder], size: 2 });
});
after(async () => {
  await workers.close();
  await rm(folder, { recursive: true, force: true });
});

/** Each file is made once in a run, also when others are made from it. */
function fileOf(name: string, made: Made): Promise<string> {
  const make = async (): Promise<string> => {
    const path = join(folder, name);
    if (typeof made === "function") await writeFile(path, await made());
    else await makeMedia(path, made);
    return path;
  };
  const path = kept.get(name) ?? make();
  kept.set(name, path);
  return path;
}
async function contentOf(name: string): Promise<Buffer> {
  const row = ROWS.find(([other]) => other === name);
  assert(row !== undefined, `there is no ${name} to make another file from`);
  return readFile(await fileOf(name, row[1]));
}
const cut = (name: string, share: number) => async (): Promise<Buffer> => {
  const whole = await contentOf(name);
  return whole.subarray(0, Math.floor(whole.length * share));
};

const ROWS: readonly Row[] = [
  // Film.
  [
    "h264.mp4",
    { film: {}, sound: {} },
    { ...film, contentType: "video/mp4", videoCodec: "h264", audioCodec: "aac" },
    T5.videoUrls,
    ["min_side", "duration"],
  ],
  [
    "motion.mp4",
    { film: { width: 342, height: 400, seconds: 3 } },
    { width: 342, height: 400, durationSeconds: 3, audioCodec: null },
    T5.videoUrls,
    [],
  ],
  [
    "long.mp4",
    { film: { seconds: 31, rate: 5 } },
    { durationSeconds: 31, framesPerSecond: 5 },
    T5.videoUrls,
    ["min_side", "duration"],
  ],
  [
    "faststart.mp4",
    { film: {}, sound: {}, muxer: { movflags: "+faststart" } },
    { ...film, contentType: "video/mp4" },
  ],
  [
    "fragmented.mp4",
    { film: {}, sound: {}, muxer: { movflags: "frag_keyframe+empty_moov+default_base_moof" } },
    { ...film, contentType: "video/mp4" },
  ],
  ["h265.mp4", { film: { codec: "h265" } }, { ...film, videoCodec: "h265" }],
  ["mpeg4.mp4", { film: { codec: "mpeg4" } }, { ...film, videoCodec: null }],
  [
    "ntsc.mp4",
    { film: { rate: "30000/1001", seconds: 3, width: 960, height: 720 } },
    { framesPerSecond: 29.97 },
    referenceVideoUrls,
    [],
  ],
  [
    "cinema.mp4",
    { film: { rate: "24000/1001", seconds: 3, width: 960, height: 720 } },
    { framesPerSecond: 23.976 },
    referenceVideoUrls,
    [],
  ],
  [
    "slow.mp4",
    { film: { rate: 10, seconds: 3, width: 960, height: 720 } },
    { framesPerSecond: 10 },
    referenceVideoUrls,
    ["frame_rate"],
  ],
  [
    "long-sound.mp4",
    { film: { seconds: 1 }, sound: { seconds: 5 } },
    { kind: "video", durationSeconds: 5 },
  ],
  [
    "h264.mov",
    { film: { width: 400, height: 400, seconds: 3 }, sound: {} },
    { kind: "video", contentType: "video/quicktime" },
    T5.videoUrls,
    [],
  ],
  [
    "pcm.mov",
    { film: {}, sound: { codec: "pcm" } },
    { ...film, contentType: "video/quicktime", audioCodec: "pcm-s16" },
  ],
  [
    "h264.mkv",
    { film: {}, sound: {} },
    { ...film, contentType: "video/x-matroska" },
    T11.videoUrls,
    [],
  ],
  [
    "h264-for-motion.mkv",
    { film: { width: 400, height: 400, seconds: 3 } },
    { contentType: "video/x-matroska" },
    T5.videoUrls,
    ["type"],
  ],
  [
    "vp9.webm",
    { film: { codec: "vp9" }, sound: { codec: "opus" } },
    { ...film, contentType: "video/webm", videoCodec: "vp9", audioCodec: "opus" },
    T11.videoUrls,
    ["type"],
  ],
  [
    "live.webm",
    { film: { codec: "vp9" }, muxer: { live: 1 } },
    { kind: "video", durationSeconds: 2 },
  ],
  [
    "film-named.png",
    { film: {}, format: "mp4" },
    { kind: "video", contentType: "video/mp4" },
    wanImageUrls,
    ["kind"],
  ],
  // Sound.
  [
    "cbr.mp3",
    { sound: { codec: "mp3" } },
    { ...seconds(2, "mp3"), contentType: "audio/mpeg" },
    T18.audioUrl,
    [],
  ],
  [
    "vbr.mp3",
    { sound: { codec: "mp3", options: { flags: "+qscale", global_quality: 400 } } },
    seconds(2, "mp3"),
    T18.audioUrl,
    [],
  ],
  [
    "vbr-without-xing.mp3",
    {
      sound: { codec: "mp3", seconds: 6, options: { flags: "+qscale", global_quality: 400 } },
      muxer: { write_xing: 0 },
    },
    seconds(6, "mp3"),
  ],
  [
    "sixteen-seconds.mp3",
    { sound: { codec: "mp3", seconds: 16 } },
    seconds(16, "mp3"),
    T18.audioUrl,
    ["duration"],
  ],
  [
    "fifteen-seconds.mp3",
    { sound: { codec: "mp3", seconds: 15 } },
    seconds(15, "mp3"),
    T18.audioUrl,
    [],
  ],
  [
    "cover.mp3",
    async () => bytes(id3(id3Cover(await makeStill("jpeg"))), await contentOf("cbr.mp3")),
    seconds(2, "mp3"),
    T18.audioUrl,
    [],
  ],
  [
    "pcm.wav",
    { sound: { codec: "pcm" } },
    { ...seconds(2, "pcm-s16"), contentType: "audio/wav" },
    T18.audioUrl,
    [],
  ],
  [
    "aac.m4a",
    { sound: {}, format: "ipod" },
    { ...seconds(2, "aac"), contentType: "audio/mp4" },
    T18.audioUrl,
    [],
  ],
  [
    "cover.m4a",
    async () => withMovieBox(await contentOf("aac.m4a"), cover(await makeStill("jpeg"))),
    seconds(2, "aac"),
    T18.audioUrl,
    [],
  ],
  [
    "cover-track.m4a",
    { film: { codec: "mjpeg", seconds: 1, rate: 1 }, sound: {}, format: "mp4" },
    seconds(2, "aac"),
    T18.audioUrl,
    [],
  ],
  [
    "sound-only.mp4",
    { sound: {} },
    { ...seconds(2, "aac"), contentType: "audio/mp4" },
    T18.audioUrl,
    [],
  ],
  [
    "alac.m4a",
    { sound: { codec: "alac" }, format: "ipod" },
    { kind: "audio", contentType: "audio/mp4" },
  ],
  [
    "aac.aac",
    { sound: {}, format: "adts" },
    { ...seconds(2, "aac"), contentType: "audio/aac" },
    T18.audioUrl,
    [],
  ],
  [
    "tagged.aac",
    async () => bytes(id3(Buffer.alloc(9000)), await contentOf("aac.aac")),
    { ...seconds(2, "aac"), contentType: "audio/aac" },
  ],
  [
    "opus.ogg",
    { sound: { codec: "opus" } },
    { ...seconds(2, "opus"), contentType: "audio/ogg" },
    T18.audioUrl,
    ["type"],
  ],
  ["vorbis.ogg", { sound: { codec: "vorbis" } }, seconds(2, "vorbis"), T18.audioUrl, ["type"]],
  [
    "opus-named.mp3",
    { sound: { codec: "opus" }, format: "ogg" },
    { contentType: "audio/ogg" },
    T18.audioUrl,
    ["type"],
  ],
  [
    "opus-inside.m4a",
    { sound: { codec: "opus" }, format: "mp4" },
    { ...seconds(2, "opus"), contentType: "audio/mp4" },
    T18.audioUrl,
    ["type"],
  ],
  [
    "flac-inside.m4a",
    { sound: { codec: "flac" }, format: "mp4" },
    { ...seconds(2, "flac"), contentType: "audio/mp4" },
    T18.audioUrl,
    ["type"],
  ],
  [
    "webm-named.m4a",
    { sound: { codec: "opus" }, format: "webm" },
    { contentType: "audio/webm" },
    T18.audioUrl,
    ["type"],
  ],
  [
    "aac.mka",
    { sound: {}, format: "matroska" },
    { ...seconds(2, "aac"), contentType: "audio/x-matroska" },
    T18.audioUrl,
    ["type"],
  ],
  [
    "flac.flac",
    { sound: { codec: "flac" } },
    { ...seconds(2, "flac"), contentType: "audio/flac" },
    T18.audioUrl,
    ["type"],
  ],
  [
    "film-of-brand.m4a",
    { film: {}, sound: {}, format: "ipod" },
    { ...film, contentType: "video/mp4" },
    T18.audioUrl,
    ["kind"],
  ],
  ["film.mp4", { film: {}, sound: {} }, film, T18.audioUrl, ["kind"]],
  // Lies.
  ["mvhd-lies.mp4", async () => lieAboutLength(await contentOf("long.mp4"), 4, ["mvhd"]), "lying"],
  ["mdhd-lies.mp4", async () => lieAboutLength(await contentOf("long.mp4"), 4, ["mdhd"]), "lying"],
  [
    "all-lie.mp4",
    async () => lieAboutLength(await contentOf("long.mp4"), 4, ["mvhd", "tkhd", "mdhd"]),
    "lying",
  ],
  [
    "too-long-by-header.mp4",
    async () => lieAboutLength(await contentOf("h264.mp4"), 30, ["mvhd", "tkhd", "mdhd"]),
    "lying",
  ],
  [
    "all-lie.m4a",
    async () => lieAboutLength(await contentOf("aac.m4a"), 0.98, ["mvhd", "tkhd", "mdhd"]),
    "lying",
  ],
  ["trimmed-by-edit-list.mp4", () => trimmed(3000), { durationSeconds: 4, kind: "video" }],
  ["edit-list-repeats.mp4", () => trimmed(60_000), "lying"],
  [
    "xing-lies.mp3",
    async () => lieInXing(await contentOf("sixteen-seconds.mp3"), 40),
    "lying",
    T18.audioUrl,
  ],
  ["duration-lies.mkv", async () => lieInMatroska(await contentOf("h264.mkv"), 300), "lying"],
  ["riff-lies.wav", async () => patch(await contentOf("pcm.wav"), 4, u8(0, 16, 0, 0)), "lying"],
  ["open-length.wav", async () => openEnded(await contentOf("pcm.wav")), seconds(2, "pcm-s16")],
  // Truncations.
  ["cut-faststart.mp4", cut("faststart.mp4", 0.6), "truncated"],
  ["cut.mp4", cut("h264.mp4", 0.6), "truncated"],
  ["cut-fragmented.mp4", cut("fragmented.mp4", 0.7), "truncated"],
  ["cut-but-mended.mp4", async () => mendedCut(await contentOf("faststart.mp4")), "truncated"],
  ["cut.m4a", cut("aac.m4a", 0.6), "truncated"],
  ["cut.mov", cut("h264.mov", 0.6), "truncated"],
  ["cut.mkv", cut("h264.mkv", 0.6), "truncated"],
  ["cut.webm", cut("vp9.webm", 0.6), "truncated"],
  ["cut.wav", cut("pcm.wav", 0.6), "truncated"],
  ["cut.mp3", cut("sixteen-seconds.mp3", 0.5), "lying"],
  [
    "cut.aac",
    async () => bytes((await contentOf("aac.aac")).subarray(0, 4000), noise(9000)),
    "corrupt",
  ],
  ["cut.jpg", async () => (await makeStill("jpeg")).subarray(0, -400), "truncated"],
  ["two-bytes-less.jpg", async () => (await makeStill("jpeg")).subarray(0, -2), "truncated"],
  ["cut.png", async () => (await makeStill("png")).subarray(0, -400), "truncated"],
  ["cut.webp", async () => (await makeStill("webp")).subarray(0, -400), "truncated"],
  ["damaged.png", async () => patch(await makeStill("png"), 5000, noise(64)), "corrupt"],
  // Pictures.
  [
    "still.jpg",
    () => makeStill("jpeg"),
    { kind: "image", contentType: "image/jpeg", width: 320, height: 240, frames: 1 },
    wanImageUrls,
    ["min_side"],
  ],
  [
    "character.jpg",
    () => makeStill("jpeg", 400, 1000),
    { width: 400, height: 1000 },
    T5.inputUrls,
    [],
  ],
  ["narrow.jpg", () => makeStill("jpeg", 399, 1000), { width: 399 }, T5.inputUrls, ["aspect"]],
  [
    "340px.png",
    () => makeStill("png", 340, 500),
    { contentType: "image/png" },
    T5.inputUrls,
    ["min_side"],
  ],
  [
    "still.webp",
    () => makeStill("webp", 400, 400),
    { contentType: "image/webp" },
    T5.inputUrls,
    [],
  ],
  [
    "webp-not-taken.webp",
    () => makeStill("webp", 400, 400),
    { contentType: "image/webp" },
    T7.imageUrls,
    ["type"],
  ],
  ["progressive.jpg", () => still(320, 240).jpeg({ progressive: true }).toBuffer(), { frames: 1 }],
  [
    "turned.jpg",
    () => still(320, 240).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    { width: 240, height: 320 },
  ],
  [
    "transparent.png",
    () => still(300, 300, 4).png().toBuffer(),
    { width: 300, frames: 1 },
    wanImageUrls,
    [],
  ],
  [
    "moving.webp",
    () => makeAnimation("webp"),
    { frames: 2, width: 60, height: 40 },
    { kind: "image" },
    ["animated"],
  ],
  [
    "moving.png",
    makeAnimatedPng,
    { frames: 2, contentType: "image/png" },
    { kind: "image" },
    ["animated"],
  ],
  ["moving.gif", () => makeAnimation("gif"), "unsupported"],
  ["still.avif", () => makeStill("avif"), "unsupported"],
  ["still.tiff", () => makeStill("tiff"), "not_media"],
  [
    "zip-behind.jpg",
    async () => bytes(await makeStill("jpeg"), "PK\x03\x04", noise(3000)),
    { contentType: "image/jpeg", width: 320 },
  ],
  [
    "html-in-comment.jpg",
    async () => withJpegComment(await makeStill("jpeg"), "<html><script>alert(1)</script>"),
    "not_media",
  ],
  [
    "pdf-inside.png",
    async () => withPngChunks(await makeStill("png"), pngChunk("tEXt", "a\0%PDF-1.4")),
    "not_media",
  ],
  [
    "svg-named.png",
    () => bytes('<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"/>'),
    "not_media",
  ],
  ["gif-that-is-a-script.gif", () => bytes("GIF89a/*<script>alert(1)</script>*/"), "not_media"],
  [
    "html-behind-ftyp.mp4",
    () => bytes(movie().subarray(0, 24), "<html><script>alert(1)</script>"),
    "not_media",
  ],
  ["html-behind-id3.mp3", () => bytes(id3(Buffer.alloc(9000)), "<html><body>"), "not_media"],
  ["page.html", () => bytes("<!doctype html><title>a</title>"), "not_media"],
  ["document.pdf", () => bytes("%PDF-1.7\n", noise(500)), "not_media"],
  ["empty.bin", () => Buffer.alloc(0), "not_media"],
  ["one-byte.bin", () => u8(0xff), "not_media"],
  ["noise.bin", () => noise(50_000), "not_media"],
  ["noise-behind-ftyp.mp4", () => bytes(movie().subarray(0, 24), noise(5000)), "corrupt"],
  ["notes-behind.mp4", () => bytes(movie(), noise(5000)), { kind: "video", durationSeconds: 4 }],
];

for (const [name, made, verdict, rules, broken = []] of ROWS)
  test(
    `${name}: ${typeof verdict === "string" ? verdict : "measured"}${broken.length > 0 ? `, breaks ${broken.join(", ")}` : ""}`,
    { concurrency: true },
    async () => {
      const path = await fileOf(name, made);
      const { size } = await stat(path);
      const probed = await workers.probe({ bytes: size, path });
      if (typeof verdict === "string") {
        assert.equal(probed.ok ? "ok" : probed.reason, verdict, JSON.stringify(probed));
        return;
      }
      assert(probed.ok, JSON.stringify(probed));
      assertFacts(probed.facts, verdict);
      const content = await readFile(path);
      const ranged = await workers.probe({
        bytes: size,
        read: async (first, last) => content.subarray(first, last + 1),
      });
      assert.deepEqual(ranged, probed, "read by ranges it is the same file");
      if (rules !== undefined)
        assert.deepEqual(
          checkMedia({ facts: probed.facts, bytes: size }, rules).map(({ rule }) => rule),
          broken,
        );
    },
  );

function assertFacts(facts: MediaFacts, expected: Expected): void {
  const { durationSeconds: wanted, ...rest } = expected;
  assert.partialDeepStrictEqual(facts, rest);
  if (typeof wanted !== "number") return;
  const measured = "durationSeconds" in facts ? facts.durationSeconds : NaN;
  assert(Math.abs(measured - wanted) <= 0.1, `lasts ${measured}, not ${wanted}`);
}

function cover(jpeg: Buffer): Buffer {
  const ilst = box("ilst", box("covr", box("data", u32(13, 0), jpeg)));
  return box("udta", fullBox("meta", fullBox("hdlr", u32(0), "mdir", Buffer.alloc(13)), ilst));
}

/** Four seconds of film of which an edit list and the header show so many. */
function trimmed(shownMs: number): Buffer {
  const edits = box("edts", fullBox("elst", u32(1, shownMs, 0, 0x10000)));
  const whole = movie({ extra: [box("trak", edits)] });
  return lieAboutLength(whole, shownMs / 1000, ["mvhd"]);
}

function patch(file: Buffer, at: number, change: Buffer): Buffer {
  return bytes(file.subarray(0, at), change, file.subarray(at + change.length));
}

function lieInXing(file: Buffer, frames: number): Buffer {
  const at = Math.max(file.indexOf("Xing"), file.indexOf("Info"));
  assert(at > 0);
  return patch(file, at + 8, u32(frames));
}

/** The Duration element, 0x4489, is a float of eight bytes in milliseconds. */
function lieInMatroska(file: Buffer, ms: number): Buffer {
  const at = file.indexOf(u8(0x44, 0x89, 0x88));
  assert(at > 0);
  const copy = Buffer.from(file);
  copy.writeDoubleBE(ms, at + 3);
  return copy;
}

/** As a program writes it that cannot go back to the header. */
function openEnded(file: Buffer): Buffer {
  const copy = patch(file, 4, u8(255, 255, 255, 255));
  return patch(copy, copy.indexOf("data") + 4, u8(255, 255, 255, 255));
}

/** Cut off, with the last box made to fit again. */
function mendedCut(file: Buffer): Buffer {
  const short = Buffer.from(file.subarray(0, Math.floor(file.length * 0.6)));
  const at = short.lastIndexOf("mdat") - 4;
  short.writeUInt32BE(short.length - at, at);
  return short;
}

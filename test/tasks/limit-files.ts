/**
 * Files of an exact type, length, shape or size, made when they are asked for and uploaded once.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { makeAnimatedPng, makeAnimation } from "../support/media-maker-stills.ts";
import { box, bytes, id3, movie, pngChunk, withPngChunks } from "../support/media-maker-bytes.ts";
import { makeMedia, type MediaSpec } from "../support/media-maker.ts";
import type { TaskCustomer } from "./tasks-scene.ts";

export type LimitFile =
  | {
      readonly kind: "image";
      readonly type?: "jpeg" | "png" | "webp" | "gif" | "moving-png" | "moving-webp";
      readonly width?: number;
      readonly height?: number;
      readonly fileBytes?: number;
    }
  /** Really encoded. */
  | {
      readonly kind: "film";
      readonly type?: "mp4" | "mov" | "mkv" | "webm";
      readonly rate?: string;
      readonly seconds?: number;
    }
  /**
   * An MP4 whose tables say what they have to, at 25 frames per second; its pictures hold nothing.
   */
  | {
      readonly kind: "tables";
      readonly width?: number;
      readonly height?: number;
      readonly seconds?: number;
      readonly fileBytes?: number;
    }
  | {
      readonly kind: "sound";
      readonly type?: "mp3" | "wav" | "m4a" | "aac" | "ogg" | "flac";
      readonly seconds?: number;
      readonly fileBytes?: number;
    }
  | { readonly kind: "text" };

/** Gives the file's URL. */
export type UploadLimitFile = (file: LimitFile) => Promise<string>;

const FRAMES_PER_SECOND = 25;

export function createLimitFiles(customer: TaskCustomer): UploadLimitFile {
  const uploads = new Map<string, Promise<string>>();
  // One by one: some have a hundred megabytes.
  let last: Promise<unknown> = Promise.resolve();
  return (file) => {
    const name = JSON.stringify(file);
    const known = uploads.get(name);
    if (known !== undefined) return known;
    const upload = last.then(async () => customer.upload(await make(file), "file"));
    last = upload.catch(() => undefined);
    uploads.set(name, upload);
    return upload;
  };
}

async function make(file: LimitFile): Promise<Buffer> {
  switch (file.kind) {
    case "image":
      return makeImage(file);
    case "film":
      return makeFilm(file);
    case "tables":
      return makeTables(file);
    case "sound":
      return makeSound(file);
    case "text":
      return Buffer.from("This is no picture, film or sound.");
  }
}

async function makeImage({
  type = "jpeg",
  width = 1000,
  height = 1000,
  fileBytes,
}: Extract<LimitFile, { kind: "image" }>): Promise<Buffer> {
  if (type === "moving-webp") return makeAnimation("webp");
  if (type === "moving-png") return makeAnimatedPng();
  const picture = sharp({ create: { width, height, channels: 3, background: "#3a7" } });
  if (fileBytes === undefined) return await picture[type]().toBuffer();
  const png = await picture.png().toBuffer();
  return withPngChunks(png, pngChunk("prVt", Buffer.alloc(fileBytes - png.length - 12)));
}

const FILMS: Readonly<Record<"mp4" | "mov" | "mkv" | "webm", string>> = {
  mp4: "mp4",
  mov: "mov",
  mkv: "matroska",
  webm: "webm",
};

async function makeFilm({
  type = "mp4",
  rate = "25",
  seconds = 3,
}: Extract<LimitFile, { kind: "film" }>): Promise<Buffer> {
  const codec = type === "webm" ? "vp9" : "h264";
  return encoded({ film: { codec, width: 640, height: 640, rate, seconds }, format: FILMS[type] });
}

function makeTables({
  width = 640,
  height = 640,
  seconds = 5,
  fileBytes,
}: Extract<LimitFile, { kind: "tables" }>): Buffer {
  const film = movie({
    width,
    height,
    frames: Math.round(seconds * FRAMES_PER_SECOND),
    frameMs: 1000 / FRAMES_PER_SECOND,
  });
  return fileBytes === undefined
    ? film
    : bytes(film, box("free", Buffer.alloc(fileBytes - film.length - 8)));
}

const SOUNDS = {
  mp3: { codec: "mp3", format: "mp3" },
  wav: { codec: "pcm", format: "wav" },
  m4a: { codec: "aac", format: "ipod" },
  aac: { codec: "aac", format: "adts" },
  ogg: { codec: "opus", format: "ogg" },
  flac: { codec: "flac", format: "flac" },
} as const;

async function makeSound({
  type = "mp3",
  seconds = 5,
  fileBytes,
}: Extract<LimitFile, { kind: "sound" }>): Promise<Buffer> {
  const { codec, format } = SOUNDS[type];
  const sound = await encoded({ sound: { codec, seconds }, format });
  return fileBytes === undefined
    ? sound
    : bytes(id3(Buffer.alloc(fileBytes - sound.length - 10)), sound);
}

async function encoded(spec: MediaSpec): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "limit-file-"));
  try {
    await makeMedia(join(folder, "file"), spec);
    return await readFile(join(folder, "file"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

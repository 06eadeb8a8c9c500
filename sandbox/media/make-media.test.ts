/**
 * Every table's model makes real files of the asked kind, size, length and number, out of inputs
 * that it has really read.
 */
import assert from "node:assert/strict";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ALL_FORMATS, FilePathSource, Input } from "mediabunny";
import { Decoder, Demuxer } from "node-av/api";
import sharp from "sharp";
import {
  openSandboxScene,
  resultUrls,
  type SandboxScene,
} from "../../test/support/sandbox-scene.ts";
import { filmVideo } from "./film-video.ts";

interface Look {
  readonly kind: string;
  readonly width: number;
  readonly height: number;
  readonly seconds?: number;
  readonly sound?: boolean;
}

/**
 * Downloads and reads with libraries that had no part in the making, as far as sizes and lengths
 * go.
 */
async function look(scene: SandboxScene, url: string): Promise<Look> {
  const answer = await fetch(url);
  assert.equal(answer.status, 200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get("content-type") ?? "";
  if (type.startsWith("image/")) {
    const { format, width, height } = await sharp(bytes).metadata();
    await sharp(bytes, { failOn: "warning" }).stats();
    assert.equal(type, `image/${format}`);
    return { kind: format, width, height };
  }
  assert.equal(type, "video/mp4");
  const path = join(scene.folder, "result.mp4");
  await writeFile(path, bytes);
  using input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  const film = await input.getPrimaryVideoTrack();
  assert.ok(film);
  assert.equal(film.codec, "avc");
  const sound = await input.getPrimaryAudioTrack();
  if (sound !== null) assert.equal(sound.codec, "aac");
  const seconds = await film.computeDuration();
  if (sound !== null) assert.ok(Math.abs((await sound.computeDuration()) - seconds) < 0.05);
  return {
    kind: "mp4",
    width: await film.getDisplayWidth(),
    height: await film.getDisplayHeight(),
    seconds: round(seconds),
    sound: sound !== null,
  };
}

const round = (seconds: number): number => Math.round(seconds * 10) / 10;

/** A sound without a codec: so many seconds of silence. */
function wave(seconds: number): Buffer {
  const data = Buffer.alloc(Math.round(seconds * 8000) * 2);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  for (const [at, value] of [[20, 1], [22, 1], [32, 2], [34, 16]] as const) head.writeUInt16LE(value, at); // prettier-ignore
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16_000, 28);
  head.write("data", 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** The inputs of all tests: a tall picture, a wide one, a wide film of 4 s and a sound of 6.5 s. */
async function offerInputs(
  scene: SandboxScene,
): Promise<Record<"tall" | "webp" | "film" | "sound", string>> {
  const at = (name: string): string => join(scene.folder, name);
  const still = sharp({ create: { width: 600, height: 800, channels: 3, background: "#804020" } });
  await still.png().toFile(at("tall.png"));
  await still.webp().toFile(at("tall.webp"));
  await filmVideo(at("film.mp4"), {
    kind: "video",
    width: 640,
    height: 480,
    seconds: 4,
    sound: true,
    tint: 1,
  });
  await writeFile(at("sound.wav"), wave(6.5));
  return {
    tall: scene.offer("tall.png", at("tall.png"), "image/png"),
    webp: scene.offer("tall.webp", at("tall.webp"), "image/webp"),
    film: scene.offer("film.mp4", at("film.mp4"), "video/mp4"),
    sound: scene.offer("sound.wav", at("sound.wav"), "audio/wav"),
  };
}

test("all nineteen tables: what comes out is what was asked for", async (t) => {
  const scene = await openSandboxScene(t);
  const { tall, film, sound } = await offerInputs(scene);
  const mp4 = (width: number, height: number, seconds: number, audio: boolean): Look => ({
    kind: "mp4",
    width,
    height,
    seconds,
    sound: audio,
  });
  const still = (kind: string, width: number, height: number): Look => ({ kind, width, height });
  const cases: readonly [string, string, Record<string, unknown>, Look[]][] = [
    ["T1", "fictions-ai/autocaption", { video_file_input: film }, [mp4(960, 720, 4, true)]],
    ["T2", "grok-imagine-video-1-5-preview", { prompt: "x", image_urls: [tall], duration: 1, resolution: "480p", aspect_ratio: "16:9" }, [mp4(854, 480, 1, true)]],
    ["T3", "bytedance/seedance-2", { prompt: "xyz", duration: 4, resolution: "480p", aspect_ratio: "21:9", generate_audio: false, return_last_frame: true }, [mp4(1120, 480, 4, false), still("png", 1120, 480)]],
    ["T3", "bytedance/seedance-2", { prompt: "xyz", duration: 4, resolution: "480p", aspect_ratio: "adaptive", reference_image_urls: [tall], reference_audio_urls: [sound] }, [mp4(480, 640, 4, true)]],
    ["T4", "bytedance/seedream-v4-edit", { prompt: "x", image_urls: [tall], image_size: "landscape_4_3", image_resolution: "4K", max_images: 3 }, Array.from({ length: 3 }, () => still("jpeg", 4096, 3072))],
    ["T5", "kling-3.0/motion-control", { input_urls: [tall], video_urls: [film], mode: "720p" }, [mp4(720, 960, 4, true)]],
    ["T6", "seedream/4.5-edit", { prompt: "x", image_urls: [tall], aspect_ratio: "9:16", quality: "basic" }, [still("jpeg", 1152, 2048)]],
    ["T7", "kling-3.0/video", { prompt: "x", duration: "3", mode: "std", sound: true, multi_shots: false, aspect_ratio: "1:1" }, [mp4(720, 720, 3, true)]],
    ["T8", "hailuo/2-3-image-to-video-pro", { prompt: "x", image_url: tall, duration: "6", resolution: "768P" }, [mp4(768, 1024, 6, false)]],
    ["T9", "bytedance/seedance-1.5-pro", { prompt: "xyz", aspect_ratio: "4:3", duration: 12, resolution: "480p", generate_audio: true, fixed_lens: true }, [mp4(640, 480, 12, true)]],
    ["T10", "flux-2/pro-text-to-image", { prompt: "xyz", aspect_ratio: "2:3", resolution: "2K" }, [still("png", 1365, 2048)]],
    ["T10", "flux-2/flex-image-to-image", { prompt: "xyz", aspect_ratio: "auto", resolution: "1K", input_urls: [tall] }, [still("png", 768, 1024)]],
    ["T11", "wan/2-6-video-to-video", { prompt: "xy", video_urls: [film], duration: "5", resolution: "720p" }, [mp4(960, 720, 5, false)]],
    ["T12", "wan/2-6-image-to-video", { prompt: "xy", image_urls: [tall], duration: "15", resolution: "1080p" }, [mp4(1080, 1440, 15, false)]],
    ["T13", "kling-2.6/image-to-video", { prompt: "x", image_urls: [tall], duration: "5", sound: true }, [mp4(1080, 1440, 5, true)]],
    ["T14", "gpt-image-2-image-to-image", { prompt: "x", input_urls: [tall], aspect_ratio: "3:1", resolution: "1K" }, [still("png", 1024, 341)]],
    ["T15", "gemini-omni-video", { prompt: "x", duration: "4", resolution: "4k", aspect_ratio: "16:9" }, [mp4(3840, 2160, 4, true)]],
    ["T16", "kling/v3-turbo-image-to-video", { prompt: "x", image_urls: [tall], duration: "3", resolution: "720p" }, [mp4(720, 960, 3, false)]],
    ["T17", "kling-2.6/motion-control", { input_urls: [tall], video_urls: [film], mode: "1080p", character_orientation: "video" }, [mp4(1080, 1440, 4, true)]],
    ["T18", "kling/ai-avatar-standard", { prompt: "", image_url: tall, audio_url: sound }, [mp4(720, 960, 6.5, true)]],
    ["T19", "nano-banana-2", { prompt: "x", aspect_ratio: "1:8", resolution: "1K", output_format: "png" }, [still("png", 128, 1024)]],
  ]; // prettier-ignore
  assert.equal(new Set(cases.map(([table]) => table)).size, 19);
  for (const [table, model, input, expected] of cases) {
    const record = await scene.finish(await scene.start(model, input));
    assert.equal(record.state, "success", `${table}: ${record.failMsg}`);
    const made = [];
    for (const url of resultUrls(record)) made.push(await look(scene, url));
    assert.deepEqual(made, expected, `${table} ${model}`);
  }
});

test("every picture of a film can be decoded, also where its second is repeated", async (t) => {
  const scene = await openSandboxScene(t);
  const path = join(scene.folder, "whole.mp4");
  await filmVideo(path, {
    kind: "video",
    width: 320,
    height: 240,
    seconds: 3.5,
    sound: false,
    tint: 2,
  });
  await using input = await Demuxer.open(path);
  const stream = input.video();
  assert.ok(stream);
  using decoder = await Decoder.create(stream);
  const times: number[] = [];
  const pictures: Buffer[] = [];
  for await (using frame of decoder.frames(input.packets(stream.index))) {
    if (frame === null) continue;
    times.push(Number(frame.pts));
    pictures.push(frame.toBuffer());
  }
  assert.equal(times.length, 84);
  assert.deepEqual(
    times.map((time) => time - times[0]!),
    times.map((_, index) => index * (times[1]! - times[0]!)),
  );
  for (const [at, again] of [
    [0, 24],
    [7, 55],
    [11, 83],
  ] as const)
    assert.ok(pictures[at]!.equals(pictures[again]!), `picture ${again} is picture ${at} again`);
  assert.ok(!pictures[0]!.equals(pictures[12]!), "it moves");
});

test("inputs that cannot be read or are of the wrong kind fail the task by the field's name", async (t) => {
  const scene = await openSandboxScene(t);
  const { tall, webp, film, sound } = await offerInputs(scene);
  const at = (name: string): string => join(scene.folder, name);
  await writeFile(at("page.png"), "<!doctype html><p>no picture</p>");
  await sharp(at("tall.png")).toFile(at("cut.png"));
  await truncate(at("cut.png"), 600);
  await filmVideo(at("long.mp4"), {
    kind: "video",
    width: 640,
    height: 480,
    seconds: 31,
    sound: false,
    tint: 1,
  });
  await sharp({ create: { width: 200, height: 200, channels: 3, background: "#fff" } }).png().toFile(at("small.png")); // prettier-ignore
  const offer = (name: string, type = "image/png"): string => scene.offer(name, at(name), type);
  const kling = (url: string): [string, Record<string, unknown>] => [
    "kling-2.6/image-to-video",
    { prompt: "x", image_urls: [url], duration: "5", sound: false },
  ];
  const motion = (image: string, video: string): [string, Record<string, unknown>] => [
    "kling-3.0/motion-control",
    { input_urls: [image], video_urls: [video] },
  ];
  const avatar = (url: string): [string, Record<string, unknown>] => [
    "kling/ai-avatar-standard",
    { prompt: "", image_url: tall, audio_url: url },
  ];
  const cases: readonly [[string, Record<string, unknown>], RegExp][] = [
    [kling(scene.missingUrl), /^image_urls\[0\]: file fetch failed with HTTP 404/],
    [kling("http://127.0.0.1:1/a.png"), /^image_urls\[0\]: file fetch failed/],
    [kling(webp), /file type not supported: image\/webp; accepted types: image\/jpeg, image\/png$/],
    [kling(offer("page.png")), /file type not supported: unknown/],
    [kling(offer("cut.png")), /the file is damaged/],
    [kling(film), /file type not supported: video\/mp4/],
    [kling(scene.offer("lie.png", at("tall.png"), "video/mp4")), /file type not supported/],
    [
      motion(tall, offer("long.mp4", "video/mp4")),
      /^video_urls\[0\]: the duration must be between 3 and 30 seconds/,
    ],
    [motion(offer("small.png"), film), /^input_urls\[0\]: it must be at least 341 px/],
    [avatar(film), /^audio_url: file type not supported: video\/mp4/],
  ];
  for (const [[model, input], expected] of cases) {
    const record = await scene.finish(await scene.start(model, input));
    assert.equal(record.state, "fail", `${model} ${JSON.stringify(input)}`);
    assert.match(record.failMsg, expected);
    assert.equal(record.failCode, "400");
  }
  // What careless servers say of everything does not matter.
  const [spoken, plainly] = kling(offer("tall.png", "text/plain"));
  assert.equal((await scene.finish(await scene.start(spoken, plainly))).state, "success");
  const [model, input] = avatar(sound);
  assert.equal((await scene.finish(await scene.start(model, input))).state, "success");
  const [blind, unread] = kling(scene.missingUrl);
  const unfetched = await scene.finish(
    await scene.start(blind, { ...unread, prompt: "[[sandbox: fetch=off]]" }),
  );
  assert.equal(unfetched.state, "success", "fetch=off leaves the inputs alone");
});

test("directives change the number and the length of what is made, or its kind", async (t) => {
  const scene = await openSandboxScene(t);
  const made = async (model: string, input: Record<string, unknown>): Promise<Look[]> => {
    const looks = [];
    for (const url of resultUrls(await scene.finish(await scene.start(model, input))))
      looks.push(await look(scene, url));
    return looks;
  };
  const words = (text: string): string => `x [[sandbox: fetch=off ${text}]]`;
  const seedream = { image_urls: ["https://files.example/a.png"], max_images: 6 };
  assert.equal(
    (await made("bytedance/seedream-v4-edit", { ...seedream, prompt: words("outputs=2") })).length,
    2,
  );
  const film = { duration: 5, resolution: "480p" };
  assert.equal(
    (await made("bytedance/seedance-2", { ...film, prompt: words("seconds=1.5") }))[0]?.seconds,
    1.5,
  );
  assert.equal(
    (await made("bytedance/seedance-2", { ...film, prompt: words("result=other-kind") }))[0]?.kind,
    "png",
  );
  assert.equal(
    (await made("nano-banana-2", { prompt: words("result=other-kind") }))[0]?.kind,
    "mp4",
  );
});

/** Each model takes what its provider documents and refuses the rest, all mistakes at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listModels, readKnownModel } from "./find-model.ts";

type Input = Record<string, unknown>;

const url = (name: string): string => `https://files.example/${name}`;
const png = url("a.png");
const mp4 = url("a.mp4");

/** The most that a model takes, field by field. */
const FULL: Readonly<Record<string, Input>> = {
  "fictions-ai/autocaption": {
    video_file_input: mp4,
    subs_position: "bottom75",
    color: "white",
    highlight_color: "yellow",
    fontsize: 7,
    MaxChars: 20,
    opacity: 0,
    font: "Poppins/Poppins-ExtraBold.ttf",
    stroke_color: "black",
    stroke_width: 2.6,
    kerning: -5,
    right_to_left: false,
    output_video: true,
    output_transcript: false,
    translate: false,
  },
  "grok-imagine-video-1-5-preview": {
    prompt: "x",
    image_urls: [png],
    duration: 5,
    resolution: "720p",
    aspect_ratio: "3:4",
    nsfw_checker: false,
  },
  "bytedance/seedance-2": {
    prompt: "xyz",
    aspect_ratio: "21:9",
    resolution: "4k",
    duration: 4,
    generate_audio: true,
    fixed_lens: false,
    reference_image_urls: [png],
    reference_video_urls: [mp4],
    reference_audio_urls: [url("a.mp3")],
    return_last_frame: true,
    web_search: false,
  },
  "bytedance/seedance-1.5-pro": {
    prompt: "xyz",
    aspect_ratio: "1:1",
    duration: 12,
    resolution: "1080p",
    fixed_lens: true,
    generate_audio: false,
    input_urls: [png, png],
  },
  "bytedance/seedream-v4-edit": {
    prompt: "x",
    image_urls: [png],
    nsfw_checker: true,
    image_size: "landscape_21_9",
    image_resolution: "4K",
    max_images: 6,
    seed: 7,
  },
  "kling-3.0/motion-control": {
    prompt: "x",
    input_urls: [png],
    video_urls: [mp4],
    character_orientation: "image",
    mode: "1080p",
    background_source: "input_image",
  },
  "seedream/4.5-edit": {
    prompt: "x",
    image_urls: [png],
    nsfw_checker: false,
    aspect_ratio: "2:3",
    quality: "high",
  },
  "kling-3.0/video": {
    prompt: "x",
    aspect_ratio: "16:9",
    duration: "15",
    mode: "4K",
    sound: true,
    multi_shots: false,
    image_urls: [png, png],
    kling_elements: [{ name: "cat", description: "a cat", element_input_urls: [png, png] }],
  },
  "hailuo/2-3-image-to-video-standard": {
    prompt: "x",
    image_url: png,
    duration: "10",
    resolution: "768P",
  },
  "hailuo/2-3-image-to-video-pro": {
    prompt: "x",
    image_url: png,
    duration: "6",
    resolution: "1080P",
  },
  "flux-2/pro-text-to-image": { prompt: "xyz", aspect_ratio: "2:3", resolution: "2K" },
  "flux-2/flex-text-to-image": { prompt: "xyz", aspect_ratio: "1:1", resolution: "1K" },
  "flux-2/pro-image-to-image": {
    prompt: "xyz",
    aspect_ratio: "auto",
    resolution: "2K",
    input_urls: [png],
  },
  "flux-2/flex-image-to-image": {
    prompt: "xyz",
    aspect_ratio: "auto",
    resolution: "1K",
    input_urls: [png],
  },
  "wan/2-6-video-to-video": { prompt: "xy", video_urls: [mp4], duration: "10", resolution: "720p" },
  "wan/2-6-image-to-video": {
    prompt: "xy",
    image_urls: [png],
    duration: "15",
    resolution: "1080p",
  },
  "kling-2.6/image-to-video": { prompt: "x", image_urls: [png], duration: "5", sound: false },
  "gpt-image-2-image-to-image": {
    prompt: "x",
    input_urls: [png],
    aspect_ratio: "9:21",
    resolution: "4K",
  },
  "gemini-omni-video": {
    prompt: "x",
    duration: "8",
    aspect_ratio: "9:16",
    resolution: "4k",
    image_urls: [png],
    video_list: [{ url: mp4, start: 0, ends: 10 }],
    audio_ids: ["a"],
    character_ids: ["c"],
    seed: 0,
  },
  "kling/v3-turbo-image-to-video": {
    prompt: "x",
    image_urls: [png],
    duration: "3",
    resolution: "1080p",
  },
  "kling-2.6/motion-control": {
    prompt: "x",
    input_urls: [png],
    video_urls: [mp4],
    character_orientation: "video",
    mode: "720p",
  },
  "kling/ai-avatar-standard": { prompt: "", image_url: png, audio_url: url("a.mp3") },
  "kling/ai-avatar-pro": { prompt: "x", image_url: png, audio_url: url("a.mp3") },
  "nano-banana-2": {
    prompt: "x",
    image_input: [png],
    resolution: "4K",
    aspect_ratio: "8:1",
    output_format: "jpg",
  },
};

/** Without these it is refused. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  "fictions-ai/autocaption": ["video_file_input"],
  "bytedance/seedance-2": ["prompt"],
  "bytedance/seedance-1.5-pro": ["prompt", "aspect_ratio", "duration"],
  "bytedance/seedream-v4-edit": ["prompt", "image_urls"],
  "kling-3.0/motion-control": ["input_urls", "video_urls"],
  "seedream/4.5-edit": ["prompt", "image_urls", "aspect_ratio", "quality"],
  "kling-3.0/video": ["prompt", "duration", "mode", "sound", "multi_shots"],
  "hailuo/2-3-image-to-video-standard": ["prompt", "image_url"],
  "flux-2/pro-text-to-image": ["prompt", "aspect_ratio", "resolution"],
  "flux-2/flex-image-to-image": ["prompt", "aspect_ratio", "resolution", "input_urls"],
  "wan/2-6-video-to-video": ["prompt", "video_urls"],
  "wan/2-6-image-to-video": ["prompt", "image_urls"],
  "kling-2.6/image-to-video": ["prompt", "image_urls", "duration", "sound"],
  "gpt-image-2-image-to-image": ["prompt", "input_urls"],
  "gemini-omni-video": ["prompt", "duration"],
  "kling/v3-turbo-image-to-video": ["prompt", "image_urls", "duration", "resolution"],
  "kling-2.6/motion-control": ["input_urls", "video_urls", "character_orientation", "mode"],
  "kling/ai-avatar-standard": ["prompt", "image_url", "audio_url"],
  "nano-banana-2": ["prompt"],
};

function mistakes(model: string, input: Input): string[] {
  const reading = readKnownModel(model, input);
  assert.ok(reading !== null, model);
  return reading.mistakes.map((one) => one.message);
}

test("all nineteen tables have a model, and every model takes all of its fields", () => {
  const tables = new Set(listModels().flatMap((one) => one.tables));
  assert.deepEqual(
    [...tables].toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))),
    Array.from({ length: 19 }, (_, index) => `T${index + 1}`),
  );
  for (const { id } of listModels()) {
    const input = FULL[id] ?? FULL["fictions-ai/autocaption"];
    assert.ok(input);
    assert.deepEqual(mistakes(id, input), [], id);
  }
});

test("each required field is missed by its name, and all that is wrong is told at once", () => {
  for (const [model, fields] of Object.entries(REQUIRED)) {
    for (const field of fields) {
      const { [field]: _gone, ...rest } = FULL[model] ?? {};
      assert.deepEqual(
        mistakes(model, rest),
        [`${field} is required`],
        `${model} without ${field}`,
      );
    }
    const nothing = mistakes(model, { camelCase: 1 });
    assert.ok(
      nothing.length >= (model === "kling-3.0/video" ? 5 : fields.length + 1),
      `${model}: ${nothing.join("; ")}`,
    );
    assert.match(nothing[0] ?? "", /^camelCase is not a field of this model/);
  }
});

test("values outside of what the provider lists are refused", () => {
  const cases: readonly [string, Input, RegExp][] = [
    [
      "nano-banana-2",
      { aspect_ratio: "5:3" },
      /aspect_ratio is not within the range of allowed options/,
    ],
    ["nano-banana-2", { resolution: "8K" }, /resolution is not within/],
    [
      "nano-banana-2",
      { image_input: Array.from({ length: 15 }, () => png) },
      /image_input takes at most 14 URLs/,
    ],
    ["nano-banana-2", { image_input: png }, /image_input must be a list of URLs/],
    [
      "nano-banana-2",
      { image_input: ["blob:https://x"] },
      /image_input\[0\] must be an http\(s\) URL/,
    ],
    [
      "nano-banana-2",
      { prompt: "x".repeat(20_001) },
      /the text length of prompt cannot exceed 20000/,
    ],
    ["nano-banana-2", { prompt: "" }, /prompt is required/],
    ["flux-2/pro-text-to-image", { aspect_ratio: "auto" }, /aspect_ratio is not within/],
    ["flux-2/pro-text-to-image", { prompt: "xy" }, /at least 3 characters/],
    ["bytedance/seedream-v4-edit", { max_images: 7 }, /max_images must be between 1 and 6/],
    ["bytedance/seedream-v4-edit", { seed: 1.5 }, /seed must be an integer/],
    ["bytedance/seedance-2", { duration: "5" }, /duration must be a number/],
    ["bytedance/seedance-2", { fixed_lens: true }, /fixed_lens is not supported/],
    ["kling-2.6/image-to-video", { duration: 5 }, /duration is not within/],
    ["kling-2.6/image-to-video", { sound: "true" }, /sound must be a boolean/],
    ["kling-3.0/motion-control", { mode: "std" }, /mode is not within/],
    ["kling-3.0/motion-control", { duration: 5 }, /duration is not a field/],
    ["kling-3.0/video", { multi_shots: true }, /multi_prompt is required/],
    [
      "kling-3.0/video",
      { multi_shots: true, multi_prompt: [{ prompt: "a", duration: 4 }] },
      /must add up to duration/,
    ],
    [
      "kling-3.0/video",
      { kling_elements: [{ name: "a" }] },
      /kling_elements every element needs a name and a description/,
    ],
    ["hailuo/2-3-image-to-video-pro", { duration: "10" }, /not supported for 1080P/],
    ["gpt-image-2-image-to-image", { aspect_ratio: "auto" }, /only supports 1K/],
    ["gpt-image-2-image-to-image", { aspect_ratio: "1:1" }, /does not support 4K/],
    ["gemini-omni-video", { video_list: [{ url: mp4, start: 5, ends: 20 }] }, /at most 10 seconds/],
    [
      "gemini-omni-video",
      { image_urls: [png, png, png, png, png, png] },
      /more than 7 image slots/,
    ],
  ];
  for (const [model, change, expected] of cases) {
    const found = mistakes(model, { ...FULL[model], ...change });
    assert.equal(
      found.length,
      1,
      `${model} ${JSON.stringify(change).slice(0, 80)}: ${found.join("; ")}`,
    );
    assert.match(found[0] ?? "", expected);
  }
});

test("directives do not count as a value: a choice may carry them", () => {
  assert.deepEqual(
    mistakes("fictions-ai/autocaption", {
      video_file_input: mp4,
      subs_position: "top [[sandbox: stuck]]",
    }),
    [],
  );
});

test("the media of an input are found with their places", () => {
  const places = (model: string): string[] =>
    readKnownModel(model, FULL[model] ?? {})?.media.map((one) => one.path) ?? [];
  assert.deepEqual(places("bytedance/seedance-2"), [
    "reference_image_urls[0]",
    "reference_video_urls[0]",
    "reference_audio_urls[0]",
  ]);
  assert.deepEqual(places("gemini-omni-video"), ["image_urls[0]", "video_list[0].url"]);
  assert.deepEqual(places("kling-3.0/video"), [
    "image_urls[0]",
    "image_urls[1]",
    "kling_elements[0][0]",
    "kling_elements[0][1]",
  ]);
  assert.deepEqual(places("kling/ai-avatar-pro"), ["image_url", "audio_url"]);
});

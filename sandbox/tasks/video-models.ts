/**
 * The models that make films out of texts and pictures: T2, T3, T7, T8, T9, T12, T13, T15 and T16,
 * under kie's ids.
 */
import { isObject, type JsonObject } from "../is-object.ts";
import {
  choice,
  FLAG,
  image,
  images,
  text,
  videos,
  type FoundMedia,
  type MediaField,
  type TaskModel,
} from "./model-field.ts";
import { checkElements, checkShots, elementMedia } from "./kling-shots.ts";

const SIDES: Readonly<Record<string, number>> = {
  "480p": 480,
  "720p": 720,
  "768P": 768,
  "1080p": 1080,
  "1080P": 1080,
  "4k": 2160,
  std: 720,
  pro: 1080,
  "4K": 2160,
};
/**
 * kie's models take fewer; what a provider refuses beyond the specification is left to the limits
 * of its route, and this one's has none.
 */
const MOST_FILES = 30;
const NO_WEBP = { types: ["image/jpeg", "image/png"] };

const word = (input: JsonObject, field: string, otherwise: string): string => {
  const value = input[field];
  return typeof value === "string" ? value : otherwise;
};
const side =
  (otherwise: string, field = "resolution") =>
  (input: JsonObject): number =>
    SIDES[word(input, field, otherwise)] ?? 720;
const aspect =
  (otherwise: string) =>
  (input: JsonObject): string =>
    word(input, "aspect_ratio", otherwise);
/** Some models take seconds as a number, some as digits. */
const seconds =
  (otherwise: number) =>
  (input: JsonObject): number =>
    Number(input["duration"] ?? otherwise);
const silent = (): boolean => false;
const follows = (): string => "auto";

/** `from` to `to` as the texts that such a model takes. */
const spelled = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

const audios: MediaField = {
  kind: "media",
  media: "audio",
  types: ["audio/wav", "audio/mpeg"],
  list: { min: 0, max: 3 },
  maxMb: 15,
  seconds: [2, 15],
};

/** 16.01 − 6.01 is not quite 10 in floating point. */
const LONGEST_CLIP = 10 + 1e-6;

/** Its one clip: `{url, start, ends}` in seconds. */
function checkClips(value: unknown): string | null {
  if (!Array.isArray(value) || value.length > 1) return "takes a list of at most 1";
  for (const clip of value) {
    if (!isObject(clip) || typeof clip["url"] !== "string") return "every item needs a url";
    const { start, ends } = clip;
    if (
      typeof start !== "number" ||
      typeof ends !== "number" ||
      ends <= start ||
      ends - start > LONGEST_CLIP
    )
      return "ends should be greater than start, by at most 10 seconds";
  }
  return null;
}

function clipMedia(value: unknown): FoundMedia[] {
  const field = { ...videos(0, 1, 100), seconds: [0, 30] as const };
  const clips: unknown[] = Array.isArray(value) ? value : [];
  return clips.flatMap((clip, index) =>
    isObject(clip) && typeof clip["url"] === "string"
      ? [{ path: `video_list[${index}].url`, url: clip["url"], field }]
      : [],
  );
}

function omniRule(input: JsonObject): string | null {
  const count = (field: string): number => {
    const value = input[field];
    return Array.isArray(value) ? value.length : 0;
  };
  const clips = count("video_list");
  if (count("image_urls") + count("character_ids") + 2 * clips > 7)
    return "images, characters and videos take more than 7 image slots";
  return clips > 0 && count("character_ids") > 3 ? "with a video at most 3 character_ids" : null;
}

export const VIDEO_MODELS: Readonly<Record<string, TaskModel>> = {
  "grok-imagine-video-1-5-preview": {
    tables: ["T2"],
    fields: {
      prompt: text(20_000),
      image_urls: images(0, MOST_FILES, 30),
      // kie's page lists six of these, the specification five; the model takes them all here.
      aspect_ratio: choice(["1:1", "16:9", "9:16", "3:2", "2:3", "3:4", "4:3", "auto"]),
      duration: { kind: "number", whole: true, min: 1, max: 15 },
      resolution: choice(["480p", "720p", "1080p"]),
      nsfw_checker: FLAG,
    },
    makes: {
      kind: "video",
      side: side("480p"),
      aspect: aspect("auto"),
      seconds: seconds(8),
      sound: () => true,
    },
  },
  "bytedance/seedance-2": {
    tables: ["T3", "T9"],
    fields: {
      prompt: text(20_000, { required: true }),
      aspect_ratio: choice(["1:1", "4:3", "3:4", "16:9", "9:16", "21:9", "adaptive"]),
      resolution: choice(["480p", "720p", "1080p", "4k"]),
      duration: { kind: "number", whole: true, min: 4, max: 15 },
      generate_audio: FLAG,
      // Only 1.5 Pro can hold the camera still; to say that it may move changes nothing.
      fixed_lens: { kind: "flag", only: false },
      first_frame_url: image(30),
      last_frame_url: image(30),
      reference_image_urls: images(0, 9, 30),
      reference_video_urls: videos(0, 3, 50, { seconds: [2, 15] }),
      reference_audio_urls: audios,
      return_last_frame: FLAG,
      web_search: FLAG,
    },
    makes: {
      kind: "video",
      side: side("720p"),
      aspect: (input) => (input["aspect_ratio"] === "adaptive" ? "auto" : aspect("16:9")(input)),
      seconds: seconds(5),
      sound: (input) => input["generate_audio"] !== false,
      lastFrame: (input) => input["return_last_frame"] === true,
    },
  },
  "bytedance/seedance-1.5-pro": {
    tables: ["T9"],
    fields: {
      prompt: text(20_000, { required: true }),
      aspect_ratio: choice(["1:1", "4:3", "3:4", "16:9", "9:16", "21:9"], true),
      resolution: choice(["480p", "720p", "1080p"]),
      duration: { kind: "number", whole: true, min: 4, max: 12, required: true },
      fixed_lens: FLAG,
      generate_audio: FLAG,
      input_urls: images(0, 2, 10),
      nsfw_checker: FLAG,
    },
    makes: {
      kind: "video",
      side: side("720p"),
      aspect: aspect("1:1"),
      seconds: seconds(5),
      sound: (input) => input["generate_audio"] === true,
    },
  },
  "kling-3.0/video": {
    tables: ["T7"],
    fields: {
      // Of kie's page; Kling's own says 2500.
      prompt: text(5000),
      aspect_ratio: choice(["16:9", "9:16", "1:1"]),
      duration: choice(spelled(3, 15), true),
      mode: choice(["std", "pro", "4K"], true),
      sound: { kind: "flag", required: true },
      multi_shots: { kind: "flag", required: true },
      multi_prompt: { kind: "json", check: checkShots },
      image_urls: images(0, 2, 10, NO_WEBP),
      kling_elements: { kind: "json", check: checkElements, media: elementMedia },
    },
    rule(input) {
      const shots: unknown[] = Array.isArray(input["multi_prompt"]) ? input["multi_prompt"] : [];
      if (input["multi_shots"] !== true)
        return typeof input["prompt"] === "string" ? null : "prompt is required";
      if (shots.length === 0) return "multi_prompt is required when multi_shots is true";
      const sum = shots.reduce<number>(
        (total, shot) => total + (isObject(shot) ? Number(shot["duration"]) : 0),
        0,
      );
      return sum === Number(input["duration"])
        ? null
        : "the durations of multi_prompt must add up to duration";
    },
    makes: {
      kind: "video",
      side: side("pro", "mode"),
      aspect: (input) =>
        word(input, "aspect_ratio", Array.isArray(input["image_urls"]) ? "auto" : "16:9"),
      seconds: seconds(5),
      sound: (input) => input["sound"] === true,
    },
  },
  ...hailuo("standard"),
  ...hailuo("pro"),
  "wan/2-6-image-to-video": {
    tables: ["T12"],
    fields: {
      prompt: text(5000, { required: true }),
      image_urls: images(1, MOST_FILES, 10),
      duration: choice(["5", "10", "15"]),
      resolution: choice(["720p", "1080p"]),
      multi_shots: FLAG,
      nsfw_checker: FLAG,
    },
    makes: {
      kind: "video",
      side: side("1080p"),
      aspect: follows,
      seconds: seconds(5),
      sound: silent,
    },
  },
  "kling-2.6/image-to-video": {
    tables: ["T13"],
    fields: {
      prompt: text(1000, { required: true }),
      image_urls: images(1, 1, 10, NO_WEBP),
      duration: choice(["5", "10"], true),
      sound: { kind: "flag", required: true },
    },
    makes: {
      kind: "video",
      side: () => 1080,
      aspect: follows,
      seconds: seconds(5),
      sound: (input) => input["sound"] === true,
    },
  },
  "gemini-omni-video": {
    tables: ["T15"],
    fields: {
      prompt: text(20_000, { required: true }),
      duration: choice(["4", "6", "8", "10"], true),
      aspect_ratio: choice(["16:9", "9:16"]),
      resolution: choice(["720p", "1080p", "4k"]),
      image_urls: images(0, 7, 20),
      video_list: { kind: "json", check: checkClips, media: clipMedia },
      audio_ids: { kind: "texts", max: 3 },
      character_ids: { kind: "texts", max: 7 },
      seed: { kind: "number", whole: true, min: 0, max: 2_147_483_647 },
      // Not on kie's page; the specification has them.
      image_role: { kind: "text" },
      agent_instructions: { kind: "text" },
      descriptions: { kind: "text" },
    },
    rule: omniRule,
    makes: {
      kind: "video",
      side: side("720p"),
      aspect: aspect("16:9"),
      seconds: seconds(4),
      sound: () => true,
    },
  },
  "kling/v3-turbo-image-to-video": {
    tables: ["T16"],
    fields: {
      prompt: text(2500, { required: true }),
      image_urls: images(1, 1, 10, NO_WEBP),
      duration: choice(spelled(3, 15), true),
      resolution: choice(["720p", "1080p"], true),
    },
    makes: {
      kind: "video",
      side: side("720p"),
      aspect: follows,
      seconds: seconds(5),
      sound: silent,
    },
  },
};

function hailuo(variant: "standard" | "pro"): Record<string, TaskModel> {
  return {
    [`hailuo/2-3-image-to-video-${variant}`]: {
      tables: ["T8"],
      fields: {
        prompt: text(5000, { required: true }),
        image_url: image(10, { required: true }),
        duration: choice(["6", "10"]),
        resolution: choice(["768P", "1080P"]),
        nsfw_checker: FLAG,
      },
      rule: (input) =>
        input["duration"] === "10" && input["resolution"] === "1080P"
          ? "10 seconds are not supported for 1080P"
          : null,
      makes: {
        kind: "video",
        side: side("768P"),
        aspect: follows,
        seconds: seconds(6),
        sound: silent,
      },
    },
  };
}

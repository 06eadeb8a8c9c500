/**
 * The models whose film is as long as what they are given: captions (T1), motion control (T5, T17),
 * restyling (T11) and avatars (T18).
 */
import type { JsonObject } from "../is-object.ts";
import {
  choice,
  FLAG,
  image,
  images,
  text,
  videos,
  type MediaField,
  type TaskModel,
} from "./model-field.ts";

const NO_WEBP = ["image/jpeg", "image/png"];
const follows = (): string => "auto";
const asMode = (input: JsonObject): number => (input["mode"] === "1080p" ? 1080 : 720);

/**
 * Fields are Replicate's, which is where the model runs; kie has none like it, so the sandbox
 * offers it there under the same name.
 */
const captions: TaskModel = {
  tables: ["T1"],
  fields: {
    video_file_input: { ...videos(1, 1, 200), list: null },
    subs_position: choice(["bottom75", "center", "top", "bottom", "left", "right"]),
    color: text(64),
    highlight_color: text(64),
    fontsize: { kind: "number", min: 1 },
    MaxChars: { kind: "number", whole: true, min: 1 },
    opacity: { kind: "number", min: 0, max: 1 },
    font: text(200),
    stroke_color: text(64),
    stroke_width: { kind: "number", min: 0 },
    kerning: { kind: "number" },
    right_to_left: FLAG,
    output_video: FLAG,
    output_transcript: FLAG,
    translate: FLAG,
    language: text(16),
  },
  makes: {
    kind: "video",
    side: () => 720,
    aspect: follows,
    seconds: () => "input",
    sound: () => true,
  },
};

function motionControl(table: string, minPixels: number): TaskModel {
  return {
    tables: [table],
    fields: {
      prompt: text(2500),
      input_urls: images(1, 1, 10, { types: NO_WEBP, minPixels }),
      video_urls: videos(1, 1, 100, { seconds: [3, 30], minPixels }),
      character_orientation: choice(
        ["image", "video"],
        ...(table === "T17" ? [true as const] : []),
      ),
      mode: choice(["720p", "1080p"], ...(table === "T17" ? [true as const] : [])),
      ...(table === "T5" ? { background_source: choice(["input_video", "input_image"]) } : {}),
    },
    makes: {
      kind: "video",
      side: asMode,
      aspect: follows,
      seconds: () => "input",
      sound: () => true,
    },
  };
}

const sounds: MediaField = {
  kind: "media",
  media: "audio",
  // Wider than what the specification lets through, as the provider is.
  types: ["audio/mpeg", "audio/wav", "audio/aac", "audio/mp4", "audio/ogg"],
  list: null,
  maxMb: 100,
  required: true,
};

function avatar(height: number): TaskModel {
  return {
    tables: ["T18"],
    fields: {
      prompt: { kind: "text", max: 5000, required: true, min: 0 },
      image_url: image(10, { types: NO_WEBP, required: true }),
      audio_url: sounds,
    },
    makes: {
      kind: "video",
      side: () => height,
      aspect: follows,
      seconds: () => "input",
      sound: () => true,
    },
  };
}

/** What Replicate calls the version of the caption model that it runs. */
const CAPTIONS_VERSION = "18a45ff0d95feb4449d192bbdc06b4a6df168fa33def76dfc51b78ae224b599b";

export const FOLLOW_MODELS: Readonly<Record<string, TaskModel>> = {
  "fictions-ai/autocaption": captions,
  [`fictions-ai/autocaption:${CAPTIONS_VERSION}`]: captions,
  [CAPTIONS_VERSION]: captions,
  "kling-3.0/motion-control": motionControl("T5", 341),
  "kling-2.6/motion-control": motionControl("T17", 301),
  "wan/2-6-video-to-video": {
    tables: ["T11"],
    fields: {
      prompt: text(5000, { required: true, min: 2 }),
      video_urls: videos(1, 30, 10, {
        types: ["video/mp4", "video/quicktime", "video/x-matroska"],
      }),
      duration: choice(["5", "10"]),
      resolution: choice(["720p", "1080p"]),
      multi_shots: FLAG,
      nsfw_checker: FLAG,
    },
    makes: {
      kind: "video",
      side: (input) => (input["resolution"] === "720p" ? 720 : 1080),
      aspect: follows,
      seconds: (input) => Number(input["duration"] ?? 5),
      sound: () => false,
    },
  },
  "kling/ai-avatar-standard": avatar(720),
  "kling/ai-avatar-pro": avatar(1080),
};

/**
 * Finds the model of a name: one of the nineteen tables', or for fal and Replicate one made up from
 * what the name and the input say.
 */
import type { JsonObject } from "../is-object.ts";
import type { InputMistake } from "./check-input.ts";
import { checkInput, listMedia } from "./check-input.ts";
import { FOLLOW_MODELS } from "./follow-models.ts";
import { IMAGE_MODELS } from "./image-models.ts";
import type { FoundMedia, MakesImage, MakesVideo, MediaKind, TaskModel } from "./model-field.ts";
import { VIDEO_MODELS } from "./video-models.ts";

const MODELS: Readonly<Record<string, TaskModel>> = {
  ...IMAGE_MODELS,
  ...VIDEO_MODELS,
  ...FOLLOW_MODELS,
};

/** What is done with an input that a protocol took for a model. */
export interface ModelReading {
  readonly mistakes: readonly InputMistake[];
  readonly media: readonly FoundMedia[];
  readonly makes: MakesImage | MakesVideo;
}

/** Every id and the tables it serves. */
export function listModels(): { readonly id: string; readonly tables: readonly string[] }[] {
  return Object.entries(MODELS).map(([id, model]) => ({ id, tables: model.tables }));
}

/** Null: there is no such model. */
export function readKnownModel(id: string, input: JsonObject): ModelReading | null {
  const model = Object.hasOwn(MODELS, id) ? MODELS[id] : undefined;
  if (model === undefined) return null;
  const mistakes = checkInput(model, input);
  return {
    mistakes,
    media: mistakes.length === 0 ? listMedia(model, input) : [],
    makes: model.makes,
  };
}

const TYPES: Readonly<Record<MediaKind, readonly string[]>> = {
  image: ["image/jpeg", "image/png", "image/webp"],
  video: ["video/mp4", "video/quicktime", "video/webm", "video/x-matroska"],
  audio: ["audio/mpeg", "audio/wav", "audio/aac", "audio/mp4", "audio/ogg", "audio/flac"],
};

/**
 * A name that no table has: a film if it says so, else pictures; every `…_url` and `…_urls` of the
 * input is fetched.
 */
export function readAnyModel(id: string, input: JsonObject): ModelReading {
  const known = readKnownModel(id, input);
  if (known !== null) return known;
  const media = Object.entries(input).flatMap(([name, value]): FoundMedia[] => {
    if (!/_urls?$/.test(name)) return [];
    const kind: MediaKind = name.startsWith("video")
      ? "video"
      : name.startsWith("audio")
        ? "audio"
        : "image";
    const urls: unknown[] = Array.isArray(value) ? value : [value];
    return urls.flatMap((url, index) => {
      if (typeof url !== "string" || !URL.canParse(url)) return [];
      const path = Array.isArray(value) ? `${name}[${index}]` : name;
      return [
        {
          path,
          url,
          field: { kind: "media", media: kind, types: TYPES[kind], list: null, maxMb: 100 },
        },
      ];
    });
  });
  return { mistakes: [], media, makes: /video|caption|avatar|lip/.test(id) ? anyVideo : anyImages };
}

const anyImages: MakesImage = {
  kind: "image",
  format: "jpeg",
  side: () => 1024,
  aspect: (input) => (typeof input["aspect_ratio"] === "string" ? input["aspect_ratio"] : "1:1"),
  count: (input) =>
    typeof input["num_images"] === "number"
      ? Math.min(10, Math.max(1, Math.floor(input["num_images"])))
      : 1,
};

const anyVideo: MakesVideo = {
  kind: "video",
  side: (input) => Number(/\d+/.exec(String(input["resolution"]))?.[0] ?? 720),
  aspect: (input) => (typeof input["aspect_ratio"] === "string" ? input["aspect_ratio"] : "16:9"),
  seconds: (input) => Number(input["duration"] ?? 5) || 5,
  sound: (input) => input["generate_audio"] === true,
};

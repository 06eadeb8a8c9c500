/**
 * The models that make pictures: T4, T6, T10, T14 and T19, under kie's ids and with the fields of
 * kie's public pages.
 */
import type { JsonObject } from "../is-object.ts";
import { choice, FLAG, images, text, type TaskModel } from "./model-field.ts";

const SIDES: Readonly<Record<string, number>> = { "1K": 1024, "2K": 2048, "4K": 4096 };
const SIZES: Readonly<Record<string, string>> = {
  square: "1:1",
  square_hd: "1:1",
  portrait_4_3: "3:4",
  portrait_3_2: "2:3",
  portrait_16_9: "9:16",
  landscape_4_3: "4:3",
  landscape_3_2: "3:2",
  landscape_16_9: "16:9",
  landscape_21_9: "21:9",
};

const word = (input: JsonObject, field: string, otherwise: string): string => {
  const value = input[field];
  return typeof value === "string" ? value : otherwise;
};
const side =
  (field: string) =>
  (input: JsonObject): number =>
    SIDES[word(input, field, "1K")] ?? 1024;
const aspect =
  (otherwise: string) =>
  (input: JsonObject): string =>
    word(input, "aspect_ratio", otherwise);

const FLUX_RATIOS = ["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3"];
const RESOLUTION = choice(["1K", "2K", "4K"]);

const fluxFromText: TaskModel = {
  tables: ["T10"],
  fields: {
    prompt: text(5000, { required: true, min: 3 }),
    aspect_ratio: choice(FLUX_RATIOS, true),
    resolution: choice(["1K", "2K"], true),
    nsfw_checker: FLAG,
  },
  makes: { kind: "image", format: "png", side: side("resolution"), aspect: aspect("1:1") },
};
const fluxFromImages: TaskModel = {
  ...fluxFromText,
  fields: {
    ...fluxFromText.fields,
    aspect_ratio: choice([...FLUX_RATIOS, "auto"], true),
    input_urls: images(1, 8, 10),
  },
};

/** Why GPT Image 2 cannot make this size of this shape. */
function gptImageRule(input: JsonObject): string | null {
  const shape = word(input, "aspect_ratio", "auto");
  const size = word(input, "resolution", "1K");
  if (["auto", "5:4", "4:5"].includes(shape) && size !== "1K")
    return `aspect_ratio ${shape} only supports 1K`;
  return shape === "1:1" && size === "4K" ? "aspect_ratio 1:1 does not support 4K" : null;
}

export const IMAGE_MODELS: Readonly<Record<string, TaskModel>> = {
  "bytedance/seedream-v4-edit": {
    tables: ["T4"],
    fields: {
      prompt: text(5000, { required: true }),
      image_urls: images(1, 10, 10),
      image_size: choice(Object.keys(SIZES)),
      image_resolution: RESOLUTION,
      max_images: { kind: "number", whole: true, min: 1, max: 6 },
      seed: { kind: "number", whole: true },
      nsfw_checker: FLAG,
    },
    makes: {
      kind: "image",
      format: "jpeg",
      side: side("image_resolution"),
      aspect: (input) => SIZES[word(input, "image_size", "square_hd")] ?? "1:1",
      count: (input) => (typeof input["max_images"] === "number" ? input["max_images"] : 1),
    },
  },
  "seedream/4.5-edit": {
    tables: ["T6"],
    fields: {
      prompt: text(3000, { required: true }),
      image_urls: images(1, 14, 10),
      aspect_ratio: choice(["1:1", "4:3", "3:4", "16:9", "9:16", "2:3", "3:2", "21:9"], true),
      quality: choice(["basic", "high"], true),
      nsfw_checker: FLAG,
    },
    makes: {
      kind: "image",
      format: "jpeg",
      side: (input) => (input["quality"] === "high" ? 4096 : 2048),
      aspect: aspect("1:1"),
    },
  },
  "flux-2/pro-text-to-image": fluxFromText,
  "flux-2/flex-text-to-image": fluxFromText,
  "flux-2/pro-image-to-image": fluxFromImages,
  "flux-2/flex-image-to-image": fluxFromImages,
  "gpt-image-2-image-to-image": {
    tables: ["T14"],
    fields: {
      prompt: text(20_000, { required: true }),
      input_urls: images(1, 16, 10),
      aspect_ratio: choice([
        "auto",
        "1:1",
        "3:2",
        "2:3",
        "4:3",
        "3:4",
        "5:4",
        "4:5",
        "16:9",
        "9:16",
        "2:1",
        "1:2",
        "3:1",
        "1:3",
        "21:9",
        "9:21",
      ]),
      resolution: RESOLUTION,
    },
    rule: gptImageRule,
    makes: { kind: "image", format: "png", side: side("resolution"), aspect: aspect("auto") },
  },
  "nano-banana-2": {
    tables: ["T19"],
    fields: {
      prompt: text(20_000, { required: true }),
      image_input: images(0, 14, 30),
      aspect_ratio: choice([
        "1:1",
        "1:4",
        "4:1",
        "1:8",
        "8:1",
        "2:3",
        "3:2",
        "3:4",
        "4:3",
        "4:5",
        "5:4",
        "9:16",
        "16:9",
        "21:9",
        "auto",
      ]),
      resolution: RESOLUTION,
      output_format: choice(["png", "jpg"]),
    },
    makes: { kind: "image", format: "jpeg", side: side("resolution"), aspect: aspect("auto") },
  },
};

/** What T3 and T9 share: a first and a last frame, or references, but not both; and the rules between them. */
import type { MediaDeclaration } from "./media-declaration.ts";
import { stillImage } from "./media-declaration.ts";
import type { FlagParameter, UrlParameter, UrlsParameter } from "./task-parameter.ts";
import type { TaskParameters, TaskRule } from "./task-table.ts";

/** T9: the specification names the parameter and the 30 MB of the references; T3: nothing. The rest is kie's page of Seedance. */
const FRAME_SOURCE = "parameter: spec; types and 30 MB: kie";

export const FIRST_FRAME: UrlParameter = {
  kind: "url",
  media: stillImage(30),
  title: { en: "First frame", ru: "Первый кадр" },
  description: { en: "The image that the video begins with.", ru: "Изображение, с которого начинается видео." },
  source: FRAME_SOURCE,
};

export const LAST_FRAME: UrlParameter = {
  kind: "url",
  media: stillImage(30),
  title: { en: "Last frame", ru: "Последний кадр" },
  description: {
    en: "The image that the video ends with; needs a first frame.",
    ru: "Изображение, которым видео заканчивается; нужен и первый кадр.",
  },
  source: FRAME_SOURCE,
};

export function referenceImages(media: MediaDeclaration, source: string): UrlsParameter {
  return {
    kind: "urls",
    count: [0, 9],
    media,
    title: { en: "Reference images", ru: "Опорные изображения" },
    description: {
      en: "Up to 9 images of people, things or style. Not together with frames.",
      ru: "До 9 изображений людей, предметов или стиля. Не вместе с кадрами.",
    },
    source,
  };
}

export function referenceVideos(media: MediaDeclaration, source: string): UrlsParameter {
  return {
    kind: "urls",
    count: [0, 3],
    media,
    title: { en: "Reference videos", ru: "Опорные видео" },
    description: {
      en: "Up to 3 videos of 2 to 15 seconds, 15 seconds together. Not together with frames.",
      ru: "До 3 видео по 2–15 секунд, вместе не больше 15 секунд. Не вместе с кадрами.",
    },
    source,
  };
}

export function referenceAudios(media: MediaDeclaration, source: string): UrlsParameter {
  return {
    kind: "urls",
    count: [0, 3],
    media,
    title: { en: "Reference audio", ru: "Опорное аудио" },
    description: {
      en: "Up to 3 sounds of 2 to 15 seconds, 15 seconds together; needs a reference image or video.",
      ru: "До 3 звуков по 2–15 секунд, вместе не больше 15 секунд; нужно опорное изображение или видео.",
    },
    source,
  };
}

export function generateAudio(byDefault: boolean, description: FlagParameter["description"], source: string): FlagParameter {
  return { kind: "flag", default: byDefault, title: { en: "Audio", ru: "Звук" }, description, source };
}

const REFERENCES = ["referenceImageUrls", "referenceVideoUrls", "referenceAudioUrls"] as const;

export function hasFrames(parameters: TaskParameters): boolean {
  return parameters["firstFrameUrl"] !== undefined || parameters["lastFrameUrl"] !== undefined;
}

export function hasReferences(parameters: TaskParameters): boolean {
  return REFERENCES.some((name) => parameters[name] !== undefined);
}

/** Source: kie's page and its resellers. Their "images and frames ≤ 9" follows from the first of these and the count of images. */
export const FRAME_RULES: readonly TaskRule[] = [
  {
    params: ["firstFrameUrl", "lastFrameUrl", ...REFERENCES],
    message:
      "Frames (firstFrameUrl, lastFrameUrl) and references (referenceImageUrls, referenceVideoUrls, referenceAudioUrls) cannot be given together.",
    breaks: (parameters) => hasFrames(parameters) && hasReferences(parameters),
  },
  {
    params: ["lastFrameUrl", "firstFrameUrl"],
    message: "'lastFrameUrl' needs 'firstFrameUrl' too.",
    breaks: (parameters) => parameters["lastFrameUrl"] !== undefined && parameters["firstFrameUrl"] === undefined,
  },
  {
    params: ["referenceAudioUrls", "referenceImageUrls", "referenceVideoUrls"],
    message: "'referenceAudioUrls' needs at least one reference image or video beside it.",
    breaks: (parameters) =>
      parameters["referenceAudioUrls"] !== undefined &&
      parameters["referenceImageUrls"] === undefined &&
      parameters["referenceVideoUrls"] === undefined,
  },
];

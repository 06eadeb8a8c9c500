/** What T3 and T9 share: a first and a last frame, and references. */
import type { MediaDeclaration } from "./media-declaration.ts";
import { stillImage } from "./media-declaration.ts";
import type { FlagParameter, UrlParameter, UrlsParameter } from "./task-parameter.ts";
import { LARGEST_IMAGE_MEGABYTES } from "./usual-parameters.ts";

/** The specification names the parameter, and 30 MB for references only. */
const FRAME_SOURCE = "parameter: contract §7; types and size: ours";

export const FIRST_FRAME: UrlParameter = {
  kind: "url",
  media: stillImage(LARGEST_IMAGE_MEGABYTES),
  title: { en: "First frame", ru: "Первый кадр" },
  description: {
    en: "The image that the video begins with.",
    ru: "Изображение, с которого начинается видео.",
  },
  source: FRAME_SOURCE,
};

export const LAST_FRAME: UrlParameter = {
  kind: "url",
  media: stillImage(LARGEST_IMAGE_MEGABYTES),
  title: { en: "Last frame", ru: "Последний кадр" },
  description: {
    en: "The image that the video ends with.",
    ru: "Изображение, которым видео заканчивается.",
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
      en: "Up to 9 images of people, things or style.",
      ru: "До 9 изображений людей, предметов или стиля.",
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
      en: "Up to 3 videos of 2 to 15 seconds each.",
      ru: "До 3 видео, каждое 2–15 секунд.",
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
      en: "Up to 3 sounds of 2 to 15 seconds each.",
      ru: "До 3 звуков, каждый 2–15 секунд.",
    },
    source,
  };
}

export function generateAudio(
  byDefault: boolean,
  description: FlagParameter["description"],
  source: string,
): FlagParameter {
  return {
    kind: "flag",
    default: byDefault,
    title: { en: "Audio", ru: "Звук" },
    description,
    source,
  };
}

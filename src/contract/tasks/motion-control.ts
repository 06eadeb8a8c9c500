/**
 * What the motion control tables T5 and T17 share: an image that moves as a video does, and a
 * declared length that is paid for.
 */
import type { MeasuredRule, TaskRule } from "./task-table.ts";
import type { ChoiceParameter, UrlsParameter } from "./task-parameter.ts";
import type { MediaDeclaration } from "./media-declaration.ts";
import { sayRule } from "./say-mistake.ts";
import { SECONDS_TOLERANCE, secondsToDeclare, shownSeconds } from "./measured-seconds.ts";

const LONGEST_BY_IMAGE = 10;

export function characterImage(media: MediaDeclaration, source: string): UrlsParameter {
  return {
    kind: "urls",
    required: true,
    count: [1, 1],
    media,
    title: { en: "Character image", ru: "Изображение персонажа" },
    description: {
      en: "Exactly one image of the character that is to move.",
      ru: "Ровно одно изображение персонажа, который будет двигаться.",
    },
    source,
  };
}

export function motionVideo(media: MediaDeclaration, source: string): UrlsParameter {
  return {
    kind: "urls",
    required: true,
    count: [1, 1],
    media,
    title: { en: "Motion video", ru: "Видео с движением" },
    description: {
      en: "Exactly one video of 3 to 30 seconds whose motion is taken over; at most 10 seconds with image orientation.",
      ru: "Ровно одно видео 3–30 секунд, движение которого будет повторено; не длиннее 10 секунд при ориентации по изображению.",
    },
    source,
  };
}

export const ORIENTATION: Omit<ChoiceParameter, "source"> = {
  kind: "choice",
  values: ["image", "video"],
  title: { en: "Character orientation", ru: "Ориентация персонажа" },
  description: {
    en: "image: as in the image, up to 10 seconds; video: as in the video, up to 30 seconds.",
    ru: "image — как на изображении, до 10 секунд; video — как в видео, до 30 секунд.",
  },
};

export const MODE: Omit<ChoiceParameter, "source"> = {
  kind: "choice",
  values: ["720p", "1080p"],
  default: "720p",
  title: { en: "Mode", ru: "Режим" },
  description: {
    en: "720p is the standard mode, 1080p the professional one.",
    ru: "720p — стандартный режим, 1080p — профессиональный.",
  },
};

export const DECLARED_LENGTH = {
  en: "Expected length of the result, which is that of the motion video rounded up; it is what you pay for.",
  ru: "Ожидаемая длина результата — длина видео с движением, округлённая вверх; по ней считается цена.",
};

/** Source: contract §7, T5; kie has the same for T17. */
export const ORIENTATION_RULES: readonly TaskRule[] = [
  {
    params: ["duration", "characterOrientation"],
    says: sayRule("orientation_duration", { limit: LONGEST_BY_IMAGE }),
    breaks: (parameters) =>
      parameters["characterOrientation"] === "image" &&
      Number(parameters["duration"]) > LONGEST_BY_IMAGE,
  },
];

/** Ours, for T5: without the second rule a long video would be paid as a short one. */
export const MOTION_RULES: readonly MeasuredRule[] = [
  {
    says: sayRule("orientation_video", { limit: LONGEST_BY_IMAGE }),
    check(parameters, secondsOf) {
      const seconds = secondsOf("videoUrls[0]");
      if (
        seconds === null ||
        parameters["characterOrientation"] !== "image" ||
        seconds <= LONGEST_BY_IMAGE + SECONDS_TOLERANCE
      )
        return null;
      const broken = sayRule("orientation_video_long", {
        seconds: shownSeconds(seconds),
        limit: LONGEST_BY_IMAGE,
      });
      return { param: "videoUrls[0]", ...broken };
    },
  },
  {
    says: sayRule("declared_length"),
    check(parameters, secondsOf) {
      const seconds = secondsOf("videoUrls[0]");
      if (seconds === null) return null;
      const needed = secondsToDeclare(seconds);
      if (Number(parameters["duration"]) >= needed) return null;
      return {
        param: "duration",
        ...sayRule("declared_short", { limit: needed, seconds: shownSeconds(seconds) }),
      };
    },
  },
];

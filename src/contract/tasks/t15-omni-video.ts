/**
 * T15, omni video (Gemini Omni): the specification shows names; limits and rules are kie's, three
 * texts are known by name only.
 */
import { sayRule } from "./say-mistake.ts";
import { SECONDS_TOLERANCE, shownSeconds } from "./measured-seconds.ts";
import { stillImage } from "./media-declaration.ts";
import {
  arrangeVideo,
  clipsOf,
  completeByVideo,
  DURATIONS,
  lastingAs,
  OMNI_RULES,
  OMNI_VIDEO_RULES,
  secondsOfClip,
} from "./omni-video.ts";
import type {
  NumberParameter,
  ObjectsParameter,
  TextParameter,
  TextsParameter,
  Words,
} from "./task-parameter.ts";
import type { TaskTable } from "./task-table.ts";
import {
  aspectRatio,
  durationChoice,
  imageUrls,
  prompt,
  resolution,
  seed,
} from "./usual-parameters.ts";

function moment(title: Words, description: Words): NumberParameter {
  return {
    kind: "number",
    required: true,
    min: 0,
    max: 30,
    title,
    description,
    source: "kie; in a video of at most 30 seconds",
  };
}

const VIDEO_LIST: ObjectsParameter = {
  kind: "objects",
  count: [0, 1],
  fields: {
    url: {
      kind: "url",
      required: true,
      media: { kind: "video", maxMegabytes: 100, seconds: [0, 30] },
      title: { en: "Video", ru: "Видео" },
      description: { en: "Up to 30 seconds and 100 MB.", ru: "До 30 секунд и 100 МБ." },
      source: "kie",
    },
    start: moment(
      { en: "From, seconds", ru: "С, секунд" },
      { en: "Where the part begins.", ru: "Начало фрагмента." },
    ),
    ends: moment(
      { en: "To, seconds", ru: "До, секунд" },
      {
        en: "Where it ends, at most 10 seconds later.",
        ru: "Конец фрагмента, не позже чем через 10 секунд.",
      },
    ),
  },
  title: { en: "Video", ru: "Видео" },
  description: {
    en: "One video, and the part of it (up to 10 seconds) to work from.",
    ru: "Одно видео и его фрагмент (до 10 секунд), с которым работать.",
  },
  source: "parameter: contract §7; shape: kie",
};

function ids(count: readonly [number, number], title: Words, description: Words): TextsParameter {
  return {
    kind: "texts",
    count,
    maxLength: 200,
    advanced: true,
    title,
    description,
    source: "parameter: contract §7; count: kie; length: ours",
  };
}

/** The specification names it, no page that we know describes it: a text, passed on as it is. */
function unverifiedText(title: Words, description: Words): TextParameter {
  return {
    kind: "text",
    maxLength: 5000,
    advanced: true,
    title,
    description,
    source: "parameter: contract §7; not verified; length: ours",
  };
}

export const T15: TaskTable = {
  id: "T15",
  title: { en: "Omni video", ru: "Видео из всего" },
  summary: {
    en: "Makes a video from text together with images, a video, voices and characters.",
    ru: "Создаёт видео по тексту вместе с изображениями, видео, голосами и персонажами.",
  },
  makes: "video",
  parameters: {
    prompt: prompt({
      maxLength: 20_000,
      description: { en: "The video you want.", ru: "Каким должно быть видео." },
      source: "contract §7; length: kie",
    }),
    // The specification's note on uploads names this parameter for a video too. Only its bytes tell
    // which one it is.
    imageUrls: imageUrls({
      count: [0, 7],
      media: stillImage(20, { orVideo: { maxMegabytes: 100, seconds: [0, 30] } }),
      description: {
        en: "Up to 7 images; one of them may be a video, whose first 10 seconds are taken.",
        ru: "До 7 изображений; одно из них может быть видео, из него берутся первые 10 секунд.",
      },
      source: "contract §7; count, types and size: kie",
    }),
    audioIds: ids(
      [0, 3],
      { en: "Voices", ru: "Голоса" },
      {
        en: "Up to 3 ids of the provider's voices.",
        ru: "До 3 идентификаторов голосов провайдера.",
      },
    ),
    videoList: VIDEO_LIST,
    characterIds: ids(
      [0, 7],
      { en: "Characters", ru: "Персонажи" },
      {
        en: "Up to 7 ids of the provider's characters; 3 beside a video.",
        ru: "До 7 идентификаторов персонажей провайдера; с видео — до 3.",
      },
    ),
    imageRole: unverifiedText(
      { en: "Role of the images", ru: "Роль изображений" },
      { en: "Passed to the model.", ru: "Передаётся модели." },
    ),
    agentInstructions: unverifiedText(
      { en: "Instructions", ru: "Инструкции" },
      { en: "Passed to the model.", ru: "Передаётся модели." },
    ),
    descriptions: unverifiedText(
      { en: "Descriptions", ru: "Описания" },
      { en: "Passed to the model.", ru: "Передаётся модели." },
    ),
    duration: durationChoice(
      { values: DURATIONS, default: "4", source: "type: contract §7; values: kie; default: ours" },
      {
        en: "Length of the video; the price depends on it. With a video in videoList the model takes that part's: at least as much, and so much when left out.",
        ru: "Длина видео; от неё зависит цена. Если в videoList есть видео, модель берёт длину фрагмента: не меньше неё, и она же по умолчанию.",
      },
    ),
    resolution: resolution({
      values: ["720p", "1080p", "4k"],
      default: "720p",
      source: "type: contract §7; values and default: kie",
    }),
    aspectRatio: aspectRatio({
      values: ["16:9", "9:16"],
      default: "16:9",
      source: "type: contract §7; values: kie; default: ours",
    }),
    seed: seed({
      min: 0,
      max: 2_147_483_647,
      source: "parameter: contract §7; type and range: kie",
    }),
  },
  rules: OMNI_RULES,
  complete: (parameters, given) =>
    given.has("duration") ? parameters : lastingAs(parameters, secondsOfClip(parameters)),
  measuredRules: [
    ...OMNI_VIDEO_RULES,
    {
      says: sayRule("clip_end"),
      check(parameters, secondsOf) {
        for (const [index, clip] of clipsOf(parameters).entries()) {
          const seconds = secondsOf(`videoList[${index}].url`);
          if (seconds === null || clip.ends <= seconds + SECONDS_TOLERANCE) continue;
          return {
            param: `videoList[${index}].ends`,
            ...sayRule("clip_past_end", { index, limit: shownSeconds(seconds) }),
          };
        }
        return null;
      },
    },
  ],
  completeMeasured: completeByVideo,
  arrange: arrangeVideo,
  examples: {
    minimal: { prompt: "A robot learns to paint." },
    full: {
      prompt: "The robot of the images does what happens in the video.",
      imageUrls: ["https://files.example.com/robot.jpg", "https://files.example.com/studio.webp"],
      audioIds: ["voice_1"],
      videoList: [{ url: "https://files.example.com/painting.mp4", start: 2.5, ends: 12.5 }],
      characterIds: ["character_1", "character_2", "character_3"],
      imageRole: "reference",
      agentInstructions: "Keep the camera still.",
      descriptions: "A studio in the morning.",
      duration: "10",
      resolution: "1080p",
      aspectRatio: "9:16",
      seed: 7,
    },
  },
};

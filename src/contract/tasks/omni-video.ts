/**
 * The video of T15: in `videoList` with the part to use, or among `imageUrls`; and what it leaves
 * room for beside it.
 */
import { sayRule } from "./say-mistake.ts";
import type { WordedMistake } from "./task-mistake.ts";
import type { MeasuredRule, SecondsOf, TaskParameters, TaskRule } from "./task-table.ts";

interface Clip {
  readonly start: number;
  readonly ends: number;
}

const MOST_SLOTS = 7;
const SLOTS_OF_A_VIDEO = 2;
const MOST_CHARACTERS_BESIDE_VIDEO = 3;
const LONGEST_CLIP = 10;
export const DURATIONS = ["4", "6", "8", "10"];
/** 16.01 − 6.01 is not quite 10 in floating point. */
const FLOAT_NOISE = 1e-6;

const TOO_MANY_SLOTS = sayRule("places_together", { limit: MOST_SLOTS, each: SLOTS_OF_A_VIDEO });
const TOO_MANY_CHARACTERS = sayRule("characters_beside_video", {
  limit: MOST_CHARACTERS_BESIDE_VIDEO,
});

function lengthOf(parameters: TaskParameters, name: string): number {
  const list = parameters[name];
  return Array.isArray(list) ? list.length : 0;
}

export function clipsOf(parameters: TaskParameters): readonly Clip[] {
  return (parameters["videoList"] ?? []) as readonly Clip[];
}

/** 0 where there is none. */
export function secondsOfClip(parameters: TaskParameters): number {
  return clipsOf(parameters).reduce((sum, { start, ends }) => sum + (ends - start), 0);
}

function covers(duration: string, seconds: number): boolean {
  return Number(duration) + FLOAT_NOISE >= seconds;
}

/** The shortest duration that is no shorter than that. */
export function lastingAs(parameters: TaskParameters, seconds: number): TaskParameters {
  const duration = DURATIONS.find((one) => covers(one, seconds));
  return duration === undefined ? parameters : { ...parameters, duration };
}

export const OMNI_RULES: readonly TaskRule[] = [
  {
    params: ["imageUrls", "characterIds", "videoList"],
    says: TOO_MANY_SLOTS,
    breaks: (parameters) =>
      lengthOf(parameters, "imageUrls") +
        lengthOf(parameters, "characterIds") +
        SLOTS_OF_A_VIDEO * lengthOf(parameters, "videoList") >
      MOST_SLOTS,
  },
  {
    params: ["characterIds", "videoList"],
    says: TOO_MANY_CHARACTERS,
    breaks: (parameters) =>
      lengthOf(parameters, "videoList") > 0 &&
      lengthOf(parameters, "characterIds") > MOST_CHARACTERS_BESIDE_VIDEO,
  },
  {
    params: ["videoList"],
    says: sayRule("clip_length", { limit: LONGEST_CLIP }),
    breaks: (parameters) =>
      clipsOf(parameters).some(
        ({ start, ends }) => ends <= start || ends - start > LONGEST_CLIP + FLOAT_NOISE,
      ),
  },
  {
    // Ours, as in T5: the model makes it as long as that part is, so a short duration would be paid
    // for a long video.
    params: ["duration", "videoList"],
    says: sayRule("duration_below_clip"),
    breaks(parameters) {
      const seconds = secondsOfClip(parameters);
      return (
        seconds <= LONGEST_CLIP + FLOAT_NOISE && !covers(String(parameters["duration"]), seconds)
      );
    },
  },
];

interface FoundVideo {
  readonly index: number;
  readonly seconds: number;
}

/** Those among `imageUrls` that are videos by their bytes: an image has no length. */
function videosAmongImages(parameters: TaskParameters, secondsOf: SecondsOf): FoundVideo[] {
  return Array.from({ length: lengthOf(parameters, "imageUrls") }, (_, index) => ({
    index,
    seconds: secondsOf(`imageUrls[${index}]`),
  })).filter((found): found is FoundVideo => found.seconds !== null);
}

function videoRule(
  says: WordedMistake,
  breaks: (parameters: TaskParameters, videos: number) => boolean,
): MeasuredRule {
  return {
    says,
    check(parameters, secondsOf) {
      const [first, ...more] = videosAmongImages(parameters, secondsOf);
      if (first === undefined || !breaks(parameters, 1 + more.length)) return null;
      return { param: `imageUrls[${(more[0] ?? first).index}]`, code: "combination", ...says };
    },
  };
}

export const OMNI_VIDEO_RULES: readonly MeasuredRule[] = [
  videoRule(sayRule("video_twice"), (parameters) => lengthOf(parameters, "videoList") > 0),
  videoRule(sayRule("one_video_among_images"), (_parameters, videos) => videos > 1),
  videoRule(
    TOO_MANY_SLOTS,
    (parameters) =>
      lengthOf(parameters, "imageUrls") -
        1 +
        SLOTS_OF_A_VIDEO +
        lengthOf(parameters, "characterIds") >
      MOST_SLOTS,
  ),
  videoRule(
    TOO_MANY_CHARACTERS,
    (parameters) => lengthOf(parameters, "characterIds") > MOST_CHARACTERS_BESIDE_VIDEO,
  ),
];

/**
 * The result is as long as the part that is taken, so a length that the body leaves open is that
 * part's.
 */
export function completeByVideo(
  parameters: TaskParameters,
  given: (name: string) => boolean,
  secondsOf: SecondsOf,
): TaskParameters {
  const [video] = videosAmongImages(parameters, secondsOf);
  return video === undefined || given("duration")
    ? parameters
    : lastingAs(parameters, Math.min(video.seconds, LONGEST_CLIP));
}

/**
 * A video among the images becomes the video, from its beginning to its tenth second, or to the
 * length that is paid for: a file of another host is measured only after the price is fixed.
 */
export function arrangeVideo(parameters: TaskParameters, secondsOf: SecondsOf): TaskParameters {
  const [video] = videosAmongImages(parameters, secondsOf);
  if (video === undefined) return parameters;
  const urls = parameters["imageUrls"] as readonly string[];
  const ends = Math.min(video.seconds, LONGEST_CLIP, Number(parameters["duration"]));
  const { imageUrls: _urls, ...others } = parameters;
  const images = urls.filter((_, index) => index !== video.index);
  return {
    ...others,
    ...(images.length === 0 ? {} : { imageUrls: images }),
    videoList: [{ url: urls[video.index], start: 0, ends: Math.floor(ends * 1000) / 1000 }],
  };
}

/**
 * What the values of a task must keep together, in English: as documentation states it, and as a
 * mistake tells it.
 */
import type { RuleMistakes, TaskSentences } from "./task-mistake.ts";

export const ENGLISH_RULES: TaskSentences<RuleMistakes> = {
  element_names: () => "Each of 'elements' needs a name of its own.",
  element_part_of_images: () =>
    "'startMs' and 'endMs' of an element are for its video; images have none.",
  element_part_length: () =>
    "The part of an element's video, from 'startMs' (0) to 'endMs' (8000), must last 3 to 8 seconds.",
  element_video_length: () =>
    "An element's video lasts at least 3 seconds, and as long as its endMs says.",
  element_video_short: ({ seconds, needed }) =>
    `The video lasts ${seconds} seconds; its part needs ${needed}.`,
  orientation_duration: ({ limit }) =>
    `'duration' must be at most ${limit} when characterOrientation is "image".`,
  orientation_video: ({ limit }) =>
    `The motion video lasts at most ${limit} seconds when characterOrientation is "image".`,
  orientation_video_long: ({ seconds, limit }) =>
    `The video lasts ${seconds} seconds; with characterOrientation "image" at most ${limit} are allowed.`,
  declared_length: () =>
    "The declared duration is at least the length of the motion video, rounded up.",
  declared_short: ({ limit, seconds }) =>
    `'duration' must be at least ${limit}: the motion video lasts ${seconds} seconds.`,
  one_image_with_shots: () => "'imageUrls' takes one image only with multiShots: the first frame.",
  shots_length: () =>
    "The shots of 'multiShots' must last as long together as the video ('duration'), 3 to 15 seconds.",
  duration_at_1080p: () => `'duration' must be "6" when resolution is "1080P".`,
  resolution_at_auto: () =>
    `'resolution' must be "1K" when aspectRatio is "auto", which it is when it is left out.`,
  resolution_at_5_4: () => `'resolution' must be "1K" when aspectRatio is "5:4" or "4:5".`,
  resolution_at_1_1: () => `'resolution' must be "1K" or "2K" when aspectRatio is "1:1".`,
  video_twice: () =>
    "A video among 'imageUrls' cannot be given beside 'videoList': give the video in one of them.",
  one_video_among_images: () => "'imageUrls' takes one video at most.",
  places_together: ({ limit, each }) =>
    `Images, characters and videos may take ${limit} places together; a video takes ${each}.`,
  characters_beside_video: ({ limit }) => `'characterIds' takes at most ${limit} beside a video.`,
  clip_length: ({ limit }) =>
    `'ends' of 'videoList' must be after 'start', by at most ${limit} seconds.`,
  duration_below_clip: () =>
    "'duration' must be at least as long as the part of the video in 'videoList', since the result is.",
  clip_end: () => "The part of a video ends before the video does.",
  clip_past_end: ({ index, limit }) =>
    `'videoList[${index}].ends' must be at most ${limit}, which is how long the video lasts.`,
};

/** The names of the task parameters, table by table as the specification has them, so that a price can only speak of parameters that exist. */

const FRAMES = ["firstFrameUrl", "lastFrameUrl", "referenceImageUrls", "referenceVideoUrls", "referenceAudioUrls"];

const PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "T1",
    [
      "video",
      "subsPosition",
      "color",
      "highlightColor",
      "fontsize",
      "maxChars",
      "opacity",
      "font",
      "strokeColor",
      "strokeWidth",
      "kerning",
      "rightToLeft",
    ],
  ],
  ["T2", ["prompt", "imageUrls", "duration", "resolution", "aspectRatio", "nsfwChecker"]],
  ["T3", ["prompt", "aspectRatio", "resolution", "duration", "generateAudio", ...FRAMES, "returnLastFrame", "webSearch"]],
  ["T4", ["prompt", "imageUrls", "nsfwChecker", "imageSize", "imageResolution", "maxImages", "seed"]],
  ["T5", ["prompt", "inputUrls", "videoUrls", "characterOrientation", "mode", "backgroundSource", "duration"]],
  ["T6", ["prompt", "imageUrls", "nsfwChecker", "aspectRatio", "quality"]],
  ["T7", ["prompt", "aspectRatio", "duration", "mode", "sound", "imageUrls", "multiShots", "elements"]],
  ["T8", ["prompt", "imageUrl", "duration", "resolution", "variant"]],
  ["T9", ["prompt", "aspectRatio", "resolution", "duration", "generateAudio", "fixedLens", ...FRAMES]],
  ["T10", ["prompt", "imageUrls", "model", "resolution", "aspectRatio"]],
  ["T11", ["prompt", "videoUrls", "duration", "resolution"]],
  ["T12", ["prompt", "imageUrls", "duration", "resolution"]],
  ["T13", ["prompt", "imageUrl", "duration", "sound"]],
  ["T14", ["prompt", "inputUrls", "aspectRatio", "resolution"]],
  [
    "T15",
    [
      "prompt",
      "imageUrls",
      "audioIds",
      "videoList",
      "characterIds",
      "imageRole",
      "agentInstructions",
      "descriptions",
      "duration",
      "resolution",
      "aspectRatio",
      "seed",
    ],
  ],
  ["T16", ["prompt", "imageUrl", "duration", "resolution"]],
  ["T17", ["prompt", "inputUrls", "videoUrls", "characterOrientation", "mode", "duration"]],
  ["T18", ["imageUrl", "audioUrl", "prompt"]],
  ["T19", ["prompt", "imageUrls", "resolution", "aspectRatio"]],
]);

export const TASK_TABLES: readonly string[] = [...PARAMETERS.keys()];

/** The parameter names of a table; empty for one that does not exist. */
export function taskParameters(table: string): readonly string[] {
  return PARAMETERS.get(table) ?? [];
}

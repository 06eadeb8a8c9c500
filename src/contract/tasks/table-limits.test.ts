/** Guarantee: each constraint of each of the tables with flat values is kept exactly: one value just inside is taken, one just outside is refused for that reason alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkUrl } from "../../net/check-url.ts";
import { choice, decimal, flag, lengths, list, missing, one, optional, type Case, url, urls, whole } from "./limit-cases.ts";
import { readTaskParameters } from "./read-task-parameters.ts";
import type { TaskTableId } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

const FRAMES: Case[] = [
  ...optional("firstFrameUrl", "lastFrameUrl", "referenceImageUrls", "referenceVideoUrls", "referenceAudioUrls"),
  ...one("firstFrameUrl"),
  [{ firstFrameUrl: url("a"), lastFrameUrl: url("b") }],
  [{ lastFrameUrl: url("b") }, "lastFrameUrl combination"],
  ...list("referenceImageUrls", 0, 9),
  ...list("referenceVideoUrls", 0, 3),
  [{ referenceAudioUrls: urls(1) }, "referenceAudioUrls combination"],
  [{ referenceAudioUrls: urls(3), referenceImageUrls: urls(9), referenceVideoUrls: urls(3) }],
  [{ referenceAudioUrls: urls(4), referenceImageUrls: urls(1) }, "referenceAudioUrls maxItems"],
  [{ referenceAudioUrls: [], referenceImageUrls: [], firstFrameUrl: url("a") }],
  [{ firstFrameUrl: url("a"), referenceImageUrls: urls(1) }, "firstFrameUrl combination"],
  [{ firstFrameUrl: url("a"), referenceVideoUrls: urls(1) }, "firstFrameUrl combination"],
  [{ firstFrameUrl: url("a"), referenceAudioUrls: urls(1) }, "firstFrameUrl combination", "referenceAudioUrls combination"],
  [{ lastFrameUrl: url("a"), referenceImageUrls: urls(1) }, "firstFrameUrl combination", "lastFrameUrl combination"],
  // kie's "images and frames ≤ 9" cannot be passed: nine images are the most, and frames beside them are refused.
  [{ firstFrameUrl: url("a"), referenceImageUrls: urls(9) }, "firstFrameUrl combination"],
];

/** The numbers are the specification's (and task-models.json's where that is silent), written down once more by hand. */
const CASES: Readonly<Record<Exclude<TaskTableId, "T7" | "T15">, readonly Case[]>> = {
  T1: [
    ...missing("video"),
    ...one("video"),
    ...choice("subsPosition", "bottom75 center top bottom left right"),
    ...["color", "highlightColor", "strokeColor"].flatMap((param) => lengths(param, 1, 64)),
    ...lengths("font", 1, 200),
    [{ fontsize: 1 }],
    [{ fontsize: 7.5 }],
    [{ fontsize: 0.99 }, "fontsize minimum"],
    [{ fontsize: "7" }, "fontsize type"],
    [{ maxChars: 1 }],
    [{ maxChars: 0 }, "maxChars minimum"],
    [{ maxChars: 1.5 }, "maxChars type"],
    ...decimal("opacity", 0, 1),
    [{ strokeWidth: 0 }],
    [{ strokeWidth: -0.1 }, "strokeWidth minimum"],
    [{ kerning: -100.5 }],
    [{ kerning: Infinity }, "kerning type"],
    [{ kerning: "0" }, "kerning type"],
    ...flag("rightToLeft"),
    ...optional("subsPosition", "color", "highlightColor", "fontsize", "maxChars", "opacity", "font", "strokeColor", "strokeWidth"),
    ...optional("kerning", "rightToLeft"),
  ],
  T2: [
    ...missing("prompt", "imageUrls"),
    ...lengths("prompt", 1, 4096),
    ...list("imageUrls", 1, 7),
    ...decimal("duration", 1, 15),
    ...choice("resolution", "480p 720p", ["1080p"]),
    ...choice("aspectRatio", "16:9 9:16 1:1 3:4 4:3", ["21:9"]),
    ...flag("nsfwChecker"),
    ...optional("duration", "resolution", "aspectRatio", "nsfwChecker"),
  ],
  T3: [
    ...missing("prompt", "duration"),
    ...lengths("prompt", 3, 20_000),
    ...choice("aspectRatio", "1:1 4:3 3:4 16:9 9:16 21:9 adaptive", ["auto"]),
    ...choice("resolution", "480p 720p 1080p 4k", ["4K"]),
    ...whole("duration", 4, 15),
    ...flag("generateAudio"),
    ...FRAMES,
    ...flag("returnLastFrame"),
    ...flag("webSearch"),
    [{ webSearch: true, firstFrameUrl: url("a") }, "webSearch combination"],
    [{ webSearch: true, referenceVideoUrls: urls(1) }, "webSearch combination"],
    [{ webSearch: false, referenceVideoUrls: urls(1) }],
    ...optional("aspectRatio", "resolution", "generateAudio", "returnLastFrame", "webSearch"),
  ],
  T4: [
    ...missing("prompt", "imageUrls"),
    ...lengths("prompt", 1, 5000),
    ...list("imageUrls", 1, 10),
    ...flag("nsfwChecker"),
    ...choice(
      "imageSize",
      "square square_hd portrait_4_3 portrait_3_2 portrait_16_9 landscape_4_3 landscape_3_2 landscape_16_9 landscape_21_9",
      ["16:9"],
    ),
    ...choice("imageResolution", "1K 2K 4K", ["1k"]),
    ...whole("maxImages", 1, 6),
    [{ seed: -1 }],
    [{ seed: Number.MAX_SAFE_INTEGER }],
    [{ seed: Number.MAX_SAFE_INTEGER + 1 }, "seed type"],
    [{ seed: 1.5 }, "seed type"],
    [{ seed: "1" }, "seed type"],
    ...optional("nsfwChecker", "imageSize", "imageResolution", "maxImages", "seed"),
  ],
  T5: [
    ...missing("inputUrls", "videoUrls", "duration"),
    ...lengths("prompt", 0, 2500),
    ...list("inputUrls", 1, 1),
    ...list("videoUrls", 1, 1),
    ...choice("characterOrientation", "image video", ["front"]),
    ...choice("mode", "720p 1080p", ["std", "pro"]),
    ...choice("backgroundSource", "input_video input_image"),
    ...whole("duration", 3, 30),
    [{ duration: 10, characterOrientation: "image" }],
    [{ duration: 11, characterOrientation: "image" }, "duration combination"],
    [{ duration: 11, characterOrientation: "video" }],
    [{ duration: 2, characterOrientation: "image" }, "duration minimum"],
    ...optional("prompt", "characterOrientation", "mode", "backgroundSource"),
  ],
  T6: [
    ...missing("prompt", "imageUrls"),
    ...lengths("prompt", 1, 3000),
    ...list("imageUrls", 1, 14),
    ...flag("nsfwChecker"),
    ...choice("aspectRatio", "1:1 4:3 3:4 16:9 9:16 2:3 3:2 21:9", ["auto"]),
    ...choice("quality", "basic high", ["2K"]),
    ...optional("nsfwChecker", "aspectRatio", "quality"),
  ],
  T8: [
    ...missing("prompt", "imageUrl"),
    ...lengths("prompt", 1, 5000),
    ...one("imageUrl"),
    ...choice("duration", "6 10", ["5", 6]),
    ...choice("resolution", "768P 1080P", ["768p"]),
    ...choice("variant", "standard pro", ["std"]),
    [{ duration: "10", resolution: "768P" }],
    [{ duration: "10", resolution: "1080P" }, "duration combination"],
    [{ duration: "6", resolution: "1080P" }],
    ...optional("duration", "resolution", "variant"),
  ],
  T9: [
    ...missing("prompt", "duration"),
    ...lengths("prompt", 1, 5000),
    ...choice("aspectRatio", "1:1 16:9 9:16 4:3 3:4 21:9", ["adaptive"]),
    ...choice("resolution", "480p 720p 1080p", ["4k"]),
    ...decimal("duration", 4, 15),
    ...flag("generateAudio"),
    ...flag("fixedLens"),
    ...FRAMES,
    ...optional("aspectRatio", "resolution", "generateAudio", "fixedLens"),
  ],
  T10: [
    ...missing("prompt"),
    ...lengths("prompt", 3, 5000),
    ...list("imageUrls", 1, 8),
    ...choice("model", "pro flex", ["max"]),
    ...choice("resolution", "1K 2K", ["4K"]),
    ...choice("aspectRatio", "1:1 4:3 3:4 16:9 9:16 3:2 2:3 auto", ["21:9"]),
    ...optional("imageUrls", "model", "resolution", "aspectRatio"),
  ],
  T11: [
    ...missing("prompt", "videoUrls"),
    ...lengths("prompt", 2, 5000),
    ...list("videoUrls", 1, 3),
    ...choice("duration", "5 10", ["15", 5]),
    ...choice("resolution", "720p 1080p", ["480p"]),
    ...optional("duration", "resolution"),
  ],
  T12: [
    ...missing("prompt", "imageUrls"),
    ...lengths("prompt", 2, 5000),
    ...list("imageUrls", 1, 1),
    ...choice("duration", "5 10 15", ["20", 15]),
    ...choice("resolution", "720p 1080p", ["480p"]),
    ...optional("duration", "resolution"),
  ],
  T13: [
    ...missing("prompt", "imageUrl"),
    ...lengths("prompt", 1, 1000),
    ...one("imageUrl"),
    ...choice("duration", "5 10", ["15", 10]),
    ...flag("sound"),
    ...optional("duration", "sound"),
  ],
  T14: [
    ...missing("prompt", "inputUrls"),
    ...lengths("prompt", 1, 20_000),
    ...list("inputUrls", 1, 16),
    ...choice("aspectRatio", "auto 1:1 3:2 2:3 4:3 3:4 5:4 4:5 16:9 9:16 2:1 1:2 3:1 1:3 21:9 9:21", ["9:22"]),
    [{ resolution: "1K" }],
    [{ resolution: "8K" }, "resolution enum"],
    [{ resolution: "2K" }, "resolution combination"],
    [{ resolution: "4K", aspectRatio: "auto" }, "resolution combination"],
    ...["5:4", "4:5"].flatMap((aspectRatio): Case[] => [
      [{ resolution: "1K", aspectRatio }],
      [{ resolution: "2K", aspectRatio }, "resolution combination"],
      [{ resolution: "4K", aspectRatio }, "resolution combination"],
    ]),
    [{ resolution: "2K", aspectRatio: "1:1" }],
    [{ resolution: "4K", aspectRatio: "1:1" }, "resolution combination"],
    [{ resolution: "4K", aspectRatio: "9:21" }],
    ...optional("aspectRatio", "resolution"),
  ],
  T16: [
    ...missing("prompt", "imageUrl"),
    ...lengths("prompt", 1, 2500),
    ...one("imageUrl"),
    ...choice("duration", "3 4 5 6 7 8 9 10 11 12 13 14 15", ["2", "16", 5]),
    ...choice("resolution", "720p 1080p", ["4k"]),
    ...optional("duration", "resolution"),
  ],
  T17: [
    ...missing("inputUrls", "videoUrls", "characterOrientation", "duration"),
    ...lengths("prompt", 0, 2500),
    ...list("inputUrls", 1, 1),
    ...list("videoUrls", 1, 1),
    ...choice("characterOrientation", "image video"),
    ...choice("mode", "720p 1080p", ["std"]),
    ...whole("duration", 3, 30),
    [{ duration: 10, characterOrientation: "image" }],
    [{ duration: 11, characterOrientation: "image" }, "duration combination"],
    ...optional("prompt", "mode"),
    [{ backgroundSource: "input_video" }, "backgroundSource unknown_parameter"],
  ],
  T18: [...missing("imageUrl", "audioUrl", "prompt"), ...lengths("prompt", 0, 5000), ...one("imageUrl"), ...one("audioUrl")],
  T19: [
    ...missing("prompt"),
    ...lengths("prompt", 1, 10_000),
    ...list("imageUrls", 1, 14),
    ...choice("resolution", "1K 2K 4K", ["512"]),
    ...choice("aspectRatio", "1:1 1:4 4:1 1:8 8:1 2:3 3:2 3:4 4:3 4:5 5:4 9:16 16:9 21:9 auto", ["9:21"]),
    ...optional("imageUrls", "resolution", "aspectRatio"),
  ],
};

for (const [id, cases] of Object.entries(CASES)) {
  test(`${id}: ${cases.length} values inside and outside of its limits`, () => {
    const table = TASK_TABLES.get(id as TaskTableId);
    assert.ok(table !== undefined);
    for (const [patch, ...expected] of cases) {
      const changed = Object.entries({ ...table.examples.minimal, ...patch }).filter(([, value]) => value !== undefined);
      const reading = readTaskParameters(table, Object.fromEntries(changed), (given) => checkUrl(given, { allow: [] }));
      const told = reading.ok ? [] : reading.mistakes.map(({ param, code }) => `${param} ${code}`);
      assert.deepEqual(told, expected, `${id} ${JSON.stringify(patch).slice(0, 200)}`);
      if (!reading.ok) for (const { message } of reading.mistakes) assert.match(message, /^\P{Cc}{10,900}[.?]$/u);
    }
  });
}

/** Guarantee: as for the other tables, each constraint of T7 and T15, whose parameters hold shots, elements and clips, is kept exactly on both sides. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkUrl } from "../../net/check-url.ts";
import { choice, flag, lengths, list, missing, optional, text, type Case, url, urls, whole } from "./limit-cases.ts";
import { readTaskParameters } from "./read-task-parameters.ts";
import type { TaskTableId } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

const shot = (duration: number, prompt = "s"): object => ({ prompt, duration });
const element = (more: object = {}, name = "dog"): object => ({ name, description: "A dog.", urls: urls(2), ...more });
const film = (more: object = {}): object => element({ urls: urls(1), ...more });
const clip = (start: unknown, ends: unknown, more: object = {}): object => ({ url: url("v"), start, ends, ...more });
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `id_${index}`);

/** The numbers are the specification's (and task-models.json's where that is silent), written down once more by hand. */
const CASES: Readonly<Record<"T7" | "T15", readonly Case[]>> = {
  T7: [
    ...missing("prompt"),
    ...lengths("prompt", 1, 2500),
    ...choice("aspectRatio", "16:9 9:16 1:1", ["4:3"]),
    ...choice("duration", "3 4 5 6 7 8 9 10 11 12 13 14 15", ["2", "16", "05", "5.0", 5]),
    ...choice("mode", "std pro 4K", ["4k", "720p"]),
    ...flag("sound"),
    ...list("imageUrls", 0, 2),
    ...optional("aspectRatio", "duration", "mode", "sound", "imageUrls", "multiShots", "elements"),
    [{ multiShots: true }],
    [{ multiShots: false }],
    [{ multiShots: "true" }, "multiShots type"],
    [{ multiShots: [] }, "multiShots minItems"],
    [{ multiShots: Array.from({ length: 5 }, () => shot(3)) }],
    [{ multiShots: Array.from({ length: 6 }, () => shot(2)) }, "multiShots maxItems"],
    [{ multiShots: [shot(12, text(500))] }],
    [{ multiShots: [shot(12, text(501))] }, "multiShots[0].prompt maxLength"],
    [{ multiShots: [shot(12, "")] }, "multiShots[0].prompt minLength"],
    [{ multiShots: [shot(13)] }, "multiShots[0].duration maximum"],
    [{ multiShots: [shot(0)] }, "multiShots[0].duration minimum"],
    [{ multiShots: [shot(3.5)] }, "multiShots[0].duration type"],
    [{ multiShots: [{ prompt: "s" }] }, "multiShots[0].duration required"],
    [{ multiShots: [{ ...shot(5), seconds: 5 }] }, "multiShots[0].seconds unknown_parameter"],
    [{ multiShots: ["s"] }, "multiShots[0] type"],
    [{ multiShots: [shot(1), shot(2)] }],
    [{ multiShots: [shot(2)] }, "multiShots combination"],
    [{ multiShots: [shot(12), shot(3)] }],
    [{ multiShots: [shot(12), shot(4)] }, "multiShots combination"],
    [{ multiShots: [shot(3), shot(4)], duration: "7" }],
    [{ multiShots: [shot(3), shot(4)], duration: "8" }, "multiShots combination"],
    [{ multiShots: true, imageUrls: urls(1) }],
    [{ multiShots: true, imageUrls: urls(2) }, "imageUrls combination"],
    [{ multiShots: [shot(5)], imageUrls: urls(2) }, "imageUrls combination"],
    [{ multiShots: false, imageUrls: urls(2) }],
    [{ elements: [] }],
    [{ elements: [element({}, "a"), element({}, "b"), element({}, "c")] }],
    [{ elements: ["a", "b", "c", "d"].map((name) => element({}, name)) }, "elements maxItems"],
    [{ elements: [element(), element()] }, "elements combination"],
    [{ elements: [element({}, "")] }, "elements[0].name minLength"],
    [{ elements: [element({}, text(64))] }],
    [{ elements: [element({}, text(65))] }, "elements[0].name maxLength"],
    [{ elements: [element({ description: text(500) })] }],
    [{ elements: [element({ description: text(501) })] }, "elements[0].description maxLength"],
    [{ elements: [element({ description: undefined })] }, "elements[0].description required"],
    [{ elements: [element({ urls: urls(4) })] }],
    [{ elements: [element({ urls: urls(5) })] }, "elements[0].urls maxItems"],
    [{ elements: [element({ urls: [] })] }, "elements[0].urls minItems"],
    [{ elements: [element({ audioUrls: urls(1) })] }],
    [{ elements: [element({ audioUrls: urls(2) })] }, "elements[0].audioUrls maxItems"],
    [{ elements: [element({ startMs: 0 })] }, "elements combination"],
    [{ elements: [element({ endMs: 5000 })] }, "elements combination"],
    [{ elements: [film()] }],
    [{ elements: [film({ startMs: 0, endMs: 3000 })] }],
    [{ elements: [film({ startMs: 0, endMs: 2999 })] }, "elements combination"],
    [{ elements: [film({ startMs: 1, endMs: 8001 })] }],
    [{ elements: [film({ startMs: 0, endMs: 8001 })] }, "elements combination"],
    [{ elements: [film({ startMs: 5000 })] }],
    [{ elements: [film({ startMs: 5001 })] }, "elements combination"],
    [{ elements: [film({ startMs: -1 })] }, "elements[0].startMs minimum"],
    [{ elements: [film({ startMs: 0.5 })] }, "elements[0].startMs type"],
  ],
  T15: [
    ...missing("prompt"),
    ...lengths("prompt", 1, 20_000),
    ...list("imageUrls", 0, 7),
    [{ audioIds: ids(3) }],
    [{ audioIds: ids(4) }, "audioIds maxItems"],
    [{ audioIds: [""] }, "audioIds[0] minLength"],
    [{ audioIds: [text(200)] }],
    [{ audioIds: [text(201)] }, "audioIds[0] maxLength"],
    [{ audioIds: [7] }, "audioIds[0] type"],
    [{ audioIds: "id" }, "audioIds type"],
    [{ characterIds: ids(7) }],
    [{ characterIds: ids(8) }, "characterIds maxItems"],
    [{ characterIds: ids(3), imageUrls: urls(4) }],
    [{ characterIds: ids(3), imageUrls: urls(5) }, "imageUrls combination"],
    [{ videoList: [] }],
    [{ videoList: [clip(0, 10)] }],
    [{ videoList: [clip(0, 10), clip(0, 10)] }, "videoList maxItems"],
    [{ videoList: clip(0, 10) }, "videoList type"],
    [{ videoList: [clip(0, 10.01)] }, "videoList combination"],
    [{ videoList: [clip(6.01, 16.01)] }],
    [{ videoList: [clip(5, 5)] }, "videoList combination"],
    [{ videoList: [clip(5, 4)] }, "videoList combination"],
    [{ videoList: [clip(20, 30)] }],
    [{ videoList: [clip(21, 30.5)] }, "videoList[0].ends maximum"],
    [{ videoList: [clip(-1, 5)] }, "videoList[0].start minimum"],
    [{ videoList: [clip("0", 5)] }, "videoList[0].start type"],
    [{ videoList: [clip(undefined, 5)] }, "videoList[0].start required"],
    [{ videoList: [clip(0, 5, { end: 5 })] }, "videoList[0].end unknown_parameter"],
    [{ videoList: [clip(0, 5, { url: "file:///v.mp4" })] }, "videoList[0].url file_url"],
    [{ videoList: [clip(0, 5)], imageUrls: urls(5) }],
    [{ videoList: [clip(0, 5)], imageUrls: urls(6) }, "imageUrls combination"],
    [{ videoList: [clip(0, 5)], characterIds: ids(3), imageUrls: urls(2) }],
    [{ videoList: [clip(0, 5)], characterIds: ids(4) }, "characterIds combination"],
    ...["imageRole", "agentInstructions", "descriptions"].flatMap((param) => lengths(param, 0, 5000)),
    ...choice("duration", "4 6 8 10", ["5", 4]),
    ...choice("resolution", "720p 1080p 4k", ["4K"]),
    ...choice("aspectRatio", "16:9 9:16", ["1:1"]),
    ...whole("seed", 0, 2_147_483_647),
    ...optional("imageUrls", "audioIds", "videoList", "characterIds", "imageRole", "agentInstructions", "descriptions", "duration"),
    ...optional("resolution", "aspectRatio", "seed"),
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

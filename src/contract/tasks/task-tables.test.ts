/**
 * Guarantee: the tables are the specification's: names, order, types, what is required, every
 * default, every rule about media; and a form has words for all of it.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { TASK_MEDIA_RULES } from "../../../test/media/task-media-rules.ts";
import type { MediaRules } from "../../media/media-rules.ts";
import { checkUrl } from "../../net/check-url.ts";
import { readTaskParameters } from "./read-task-parameters.ts";
import type { TaskParameter } from "./task-parameter.ts";
import type { TaskTable, TaskTableId } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

/**
 * Transcribed by hand: `name!` is required, `name=default`, after the colon the type where it is no
 * string.
 */
const SPECIFIED: Readonly<Record<TaskTableId, string>> = {
  T1: "video!:url subsPosition=bottom75 color=white highlightColor=yellow fontsize=7:number maxChars=20:number opacity=0:number font=Poppins/Poppins-ExtraBold.ttf strokeColor=black strokeWidth=2.6:number kerning=-5:number rightToLeft=false:boolean",
  T2: "prompt! imageUrls!:url[] duration=5:number resolution=720p aspectRatio=16:9 nsfwChecker=false:boolean",
  T3: "prompt! aspectRatio=16:9 resolution=720p duration!:number generateAudio=true:boolean firstFrameUrl:url lastFrameUrl:url referenceImageUrls:url[] referenceVideoUrls:url[] referenceAudioUrls:url[] returnLastFrame=false:boolean webSearch=false:boolean",
  T4: "prompt! imageUrls!:url[] nsfwChecker=false:boolean imageSize=square_hd imageResolution=1K maxImages=1:number seed:number",
  T5: "prompt inputUrls!:url[] videoUrls!:url[] characterOrientation=video mode=720p backgroundSource=input_video duration!:number",
  T6: "prompt! imageUrls!:url[] nsfwChecker=false:boolean aspectRatio=1:1 quality=basic",
  T7: "prompt! aspectRatio=16:9 duration=5 mode=pro sound=false:boolean imageUrls:url[] multiShots=false:object[] elements:object[]",
  T8: "prompt! imageUrl!:url duration=6 resolution=768P variant=standard",
  T9: "prompt! aspectRatio=16:9 resolution=720p duration!:number generateAudio=false:boolean fixedLens=false:boolean firstFrameUrl:url lastFrameUrl:url referenceImageUrls:url[] referenceVideoUrls:url[] referenceAudioUrls:url[]",
  T10: "prompt! imageUrls:url[] model=pro resolution=1K aspectRatio=1:1",
  T11: "prompt! videoUrls!:url[] duration=5 resolution=1080p",
  T12: "prompt! imageUrls!:url[] duration=5 resolution=1080p",
  T13: "prompt! imageUrl!:url duration=5 sound=false:boolean",
  T14: "prompt! inputUrls!:url[] aspectRatio=auto resolution=1K",
  T15: "prompt! imageUrls:url[] audioIds:string[] videoList:object[] characterIds:string[] imageRole agentInstructions descriptions duration=4 resolution=720p aspectRatio=16:9 seed:number",
  T16: "prompt! imageUrl!:url duration=5 resolution=720p",
  T17: "prompt inputUrls!:url[] videoUrls!:url[] characterOrientation! mode=720p duration!:number",
  T18: "imageUrl!:url audioUrl!:url prompt!",
  T19: "prompt! imageUrls:url[] resolution=1K aspectRatio=9:16",
};

const TYPES: Readonly<Record<TaskParameter["kind"], string>> = {
  text: "",
  choice: "",
  number: ":number",
  integer: ":number",
  flag: ":boolean",
  url: ":url",
  urls: ":url[]",
  texts: ":string[]",
  objects: ":object[]",
};

function written(table: TaskTable): string {
  const parts = Object.entries(table.parameters).map(([name, parameter]) => {
    const byDefault =
      "default" in parameter && parameter.default !== undefined ? `=${parameter.default}` : "";
    return `${name}${parameter.required === true ? "!" : ""}${byDefault}${TYPES[parameter.kind]}`;
  });
  return parts.join(" ");
}

const read = (table: TaskTable, body: unknown): ReturnType<typeof readTaskParameters> =>
  readTaskParameters(table, body, (url) => checkUrl(url, { allow: [] }));

test("there are nineteen tables, each under its id", () => {
  assert.deepEqual([...TASK_TABLES.keys()], Object.keys(SPECIFIED));
  for (const [id, table] of TASK_TABLES) assert.equal(table.id, id);
});

for (const [id, table] of TASK_TABLES) {
  test(`${id} has the specification's parameters in its order, with its types, requirements and defaults`, () => {
    assert.equal(written(table), SPECIFIED[id]);
  });

  test(`${id}: both examples are valid, the full one has every parameter that may stand beside the others, the minimal one nothing more than it must`, () => {
    const minimal = read(table, table.examples.minimal);
    assert.ok(minimal.ok, JSON.stringify(minimal));
    assert.ok(
      read(table, table.examples.full).ok,
      JSON.stringify(read(table, table.examples.full)),
    );
    const required = Object.entries(table.parameters).filter(
      ([, parameter]) => parameter.required === true,
    );
    assert.deepEqual(
      Object.keys(table.examples.minimal).toSorted(),
      required.map(([name]) => name).toSorted(),
    );
    const absent = Object.keys(table.parameters).filter((name) => !(name in table.examples.full));
    // Few providers take frames and references together: T3 shows the ones, T9 the others.
    const excluded: Partial<Record<TaskTableId, string[]>> = {
      T3: ["firstFrameUrl", "lastFrameUrl"],
      T9: ["referenceImageUrls", "referenceVideoUrls", "referenceAudioUrls"],
    };
    assert.deepEqual(absent, excluded[id] ?? []);
  });

  test(`${id}: the minimal body gets exactly the defaults`, () => {
    const reading = read(table, table.examples.minimal);
    const defaults = Object.entries(table.parameters).flatMap(([name, parameter]) =>
      "default" in parameter && parameter.default !== undefined ? [[name, parameter.default]] : [],
    );
    assert.deepEqual(reading.ok && reading.parameters, {
      ...Object.fromEntries(defaults),
      ...table.examples.minimal,
    });
  });

  test(`${id}: every parameter, field and rule has its words, in English and Russian, and says where it comes from`, () => {
    const words = (given: { en: string; ru: string }): void => {
      assert.match(given.en, /^[\x20-\x7e]{2,200}$/);
      assert.ok(/[а-яё]/i.test(given.ru) && given.ru.length <= 200, given.ru);
    };
    words(table.title);
    words(table.summary);
    const fields = Object.values(table.parameters).flatMap((parameter): TaskParameter[] =>
      parameter.kind === "objects" ? [parameter, ...Object.values(parameter.fields)] : [parameter],
    );
    for (const field of fields) {
      words(field.title);
      words(field.description);
      assert.match(field.description.en, /\.$/);
      assert.match(field.source, /contract §7|kie|replicate|ours/);
    }
    for (const rule of table.rules)
      for (const param of rule.params) assert.ok(param in table.parameters, param);
  });
}

test("what is taken of media is what the media room proves to the byte, pixel and second", () => {
  const declared = Object.fromEntries(
    [...TASK_TABLES].flatMap(([id, table]) => {
      const media = Object.entries(table.parameters).flatMap(
        ([name, parameter]): [string, MediaRules][] => {
          const required = parameter.required === true ? 1 : 0;
          if (parameter.kind === "url")
            return [[name, { ...parameter.media, count: [required, 1] }]];
          if (parameter.kind === "urls")
            return [[name, { ...parameter.media, count: parameter.count }]];
          const url = parameter.kind === "objects" ? parameter.fields["url"] : undefined;
          return parameter.kind === "objects" && url?.kind === "url"
            ? [[name, { ...url.media, count: parameter.count }]]
            : [];
        },
      );
      return media.length === 0 ? [] : [[id, Object.fromEntries(media)]];
    }),
  );
  // The caption model names no rules, a count included.
  assert.deepEqual(declared, {
    ...TASK_MEDIA_RULES,
    T1: { video: { kind: "video", count: [1, 1] } },
  });
});

test("a model of images makes images, all others make videos", () => {
  const images = [...TASK_TABLES.values()]
    .filter((table) => table.makes === "image")
    .map((table) => table.id);
  assert.deepEqual(images, ["T4", "T6", "T10", "T14", "T19"]);
});

test("T10: auto is 1:1 where there is no image to take the ratio from", () => {
  const table = TASK_TABLES.get("T10");
  assert.ok(table !== undefined);
  const ratioOf = (body: object): unknown => {
    const reading = read(table, { prompt: "cat", ...body });
    return reading.ok && reading.parameters["aspectRatio"];
  };
  assert.equal(ratioOf({ aspectRatio: "auto" }), "1:1");
  assert.equal(ratioOf({ aspectRatio: "auto", imageUrls: null }), "1:1");
  assert.equal(
    ratioOf({ aspectRatio: "auto", imageUrls: ["https://media.example.org/a.png"] }),
    "auto",
  );
  assert.equal(ratioOf({ aspectRatio: "3:2" }), "3:2");
});

test("T7: several shots turn the sound on and set the length, unless the body says otherwise", () => {
  const table = TASK_TABLES.get("T7");
  assert.ok(table !== undefined);
  const partOf = (body: object): unknown => {
    const reading = read(table, { prompt: "cat", ...body });
    return reading.ok
      ? [reading.parameters["sound"], reading.parameters["duration"]]
      : reading.mistakes.map(({ param }) => param);
  };
  const shots = [
    { prompt: "a", duration: 3 },
    { prompt: "b", duration: 6 },
  ];
  assert.deepEqual(partOf({}), [false, "5"]);
  assert.deepEqual(partOf({ multiShots: true }), [true, "5"]);
  assert.deepEqual(partOf({ multiShots: false }), [false, "5"]);
  assert.deepEqual(partOf({ multiShots: shots }), [true, "9"]);
  assert.deepEqual(partOf({ multiShots: shots, sound: null, duration: null }), [true, "9"]);
  assert.deepEqual(partOf({ multiShots: shots, sound: false, duration: "9" }), [false, "9"]);
  assert.deepEqual(partOf({ multiShots: shots, duration: "10" }), ["multiShots"]);
});

test("T15: beside a part of a video the length that is paid is at least that part's", () => {
  const table = TASK_TABLES.get("T15");
  assert.ok(table !== undefined);
  const lengthOf = (start: number, ends: number, duration?: string): unknown => {
    const reading = read(table, {
      prompt: "cat",
      videoList: [{ url: "https://media.example.org/a.mp4", start, ends }],
      duration,
    });
    return reading.ok ? reading.parameters["duration"] : reading.mistakes.map(({ param }) => param);
  };
  assert.deepEqual(
    [3, 4, 4.5, 6, 6.1, 8, 8.1, 10].map((ends) => lengthOf(0, ends)),
    ["4", "4", "6", "6", "8", "8", "10", "10"],
  );
  assert.equal(lengthOf(0, 3, "10"), "10");
  assert.equal(lengthOf(6.01, 16.01), "10");
  assert.deepEqual(lengthOf(6.01, 16.01, "8"), ["duration"]);
  assert.deepEqual(lengthOf(0, 10, "4"), ["duration"]);
  assert.deepEqual(lengthOf(0, 11, "4"), ["videoList"], "one mistake, one sentence");
});

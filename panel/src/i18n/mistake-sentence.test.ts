/**
 * Protects: whatever the API says of an order, a Russian page says it in Russian, with the same
 * figures.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readTaskParameters } from "../../../src/contract/tasks/read-task-parameters.ts";
import type { TaskParameter } from "../../../src/contract/tasks/task-parameter.ts";
import { TASK_TABLES } from "../../../src/contract/tasks/task-tables.ts";
import type { WordedMistake, TaskMistake } from "../../../src/contract/tasks/task-mistake.ts";
import { checkMedia } from "../../../src/media/check-media.ts";
import type { MediaFacts } from "../../../src/media/media-facts.ts";
import type { MeasuredFile, MediaRules } from "../../../src/media/media-rules.ts";
import { checkUrl } from "../../../src/net/check-url.ts";
import { mistakeSentence } from "./mistake-sentence.ts";

function reported({
  reason,
  params,
  message,
}: WordedMistake): Parameters<typeof mistakeSentence>[1] {
  return { code: reason, params, message };
}

function assertRussian(mistake: WordedMistake): void {
  const stated = mistakeSentence("ru", reported(mistake));
  assert.match(stated, /^[А-ЯЁ0-9][^]*[.]$/u, `${mistake.reason}: ${mistake.message}`);
  assert.doesNotMatch(stated, /undefined|NaN|\b(?:must|allowed|seconds|the)\b/, stated);
  assert.equal(mistakeSentence("en", reported(mistake)), mistake.message);
}

/** Values of which most break whatever a parameter allows. */
function wrongValues(parameter: TaskParameter): unknown[] {
  const long = "x".repeat(60_000);
  const values: unknown[] = [
    true,
    -1e9,
    1e12,
    0.5,
    "",
    "\0",
    long,
    "nonsense",
    {},
    [],
    ["x", "x"],
    Array.from({ length: 200 }, () => "nonsense"),
  ];
  values.push(
    Array.from({ length: 200 }, () => ({})),
    [{ name: "", urls: 7 }],
    [{ nonsense: 1 }],
    "blob:x",
    "data:x",
    [1, 2, 3],
    ["file:///x"],
  );
  if (parameter.kind === "objects") {
    const fields = Object.entries(parameter.fields);
    for (const [name, field] of fields)
      for (const value of wrongValues(field)) values.push([{ [name]: value }]);
  }
  return values;
}

test("every mistake that a value of any of the tables can have", () => {
  const seen = new Map<string, TaskMistake>();
  const look = (url: string): ReturnType<typeof checkUrl> => checkUrl(url, { allow: [] });
  for (const table of TASK_TABLES.values()) {
    const bodies: object[] = [{}, { nonsense: 1 }];
    for (const [name, parameter] of Object.entries(table.parameters))
      for (const value of wrongValues(parameter))
        bodies.push({ ...table.examples.full, [name]: value });
    for (const body of bodies) {
      const reading = readTaskParameters(table, body, look);
      if (!reading.ok) for (const mistake of reading.mistakes) seen.set(mistake.message, mistake);
    }
  }
  assert.ok(seen.size > 300, `${seen.size} sentences`);
  for (const mistake of seen.values()) assertRussian(mistake);
});

test("every rule between values, and every rule of what was measured", () => {
  for (const table of TASK_TABLES.values()) {
    for (const { says } of [...table.rules, ...(table.measuredRules ?? [])]) assertRussian(says);
  }
});

test("what measured files break beside other values, with its figures", () => {
  const found = new Set<string>();
  for (const table of TASK_TABLES.values()) {
    for (const example of Object.values(table.examples)) {
      const reading = readTaskParameters(table, example, () => ({ ok: true }));
      assert.ok(reading.ok);
      for (const orientation of [{}, { characterOrientation: "image" }]) {
        for (const rule of table.measuredRules ?? []) {
          for (const seconds of [0.25, 7.75, 12.5, 900]) {
            const mistake = rule.check({ ...reading.parameters, ...orientation }, () => seconds);
            if (mistake === null) continue;
            found.add(mistake.reason);
            assertRussian(mistake);
            if (/\d/.test(mistake.message))
              assert.match(mistakeSentence("ru", reported(mistake)), /\d/);
          }
        }
      }
    }
  }
  assert.ok(found.size >= 3, [...found].join());
});

test("every breach of a file, with its figures", () => {
  const image = {
    kind: "image",
    contentType: "image/gif",
    width: 300,
    height: 900,
    frames: 3,
  } as MediaFacts;
  const video = {
    kind: "video",
    contentType: "video/webm",
    width: 9000,
    height: 100,
    durationSeconds: 99.5,
    framesPerSecond: 12,
  } as MediaFacts;
  const unmeasured = { ...video, framesPerSecond: null } as MediaFacts;
  const still = { ...image, frames: 1, contentType: "image/jpeg" } as MediaFacts;
  const rules = (kind: MediaRules["kind"], more: Partial<MediaRules>): MediaRules => ({
    kind,
    ...more,
  });
  const of = (facts: MediaFacts, bytes = 90_000_000): MeasuredFile => ({ facts, bytes });
  const sets: [MeasuredFile[], MediaRules][] = [
    [
      [of(image)],
      rules("image", {
        contentTypes: ["image/jpeg", "image/png"],
        maxMegabytes: 10,
        minSidePx: 340,
        maxSidePx: 700,
        pixels: [1_000_000, 2_000_000],
        aspect: [0.4, 2.5],
      }),
    ],
    [
      [of(still)],
      rules("image", { pixels: [300_000, Infinity], aspect: [0.5, Infinity], minSidePx: 301 }),
    ],
    [[of(still)], rules("image", { pixels: [0, 100] })],
    [[of(video), of(unmeasured)], rules("video", { seconds: [3, 30], framesPerSecond: [24, 60] })],
    [[of(video)], rules("video", { seconds: [100, Infinity], framesPerSecond: [24, Infinity] })],
    [[of(video), of(video)], rules("video", { seconds: [0, 9], framesPerSecond: [0, 10] })],
    [[of(video)], rules("audio", {})],
    [[of(still)], rules("video", {})],
  ];
  const breaches = sets.flatMap(([measured, held]) =>
    measured.flatMap((file) => checkMedia(file, held)),
  );
  assert.equal(new Set(breaches.map(({ rule }) => rule)).size, 10, "all rules of a file");
  for (const breach of breaches) {
    assertRussian(breach);
    const figures = (text: string): string[] => (text.match(/\d+(?:\.\d+)?/g) ?? []).toSorted();
    assert.deepEqual(
      figures(mistakeSentence("ru", reported(breach))),
      figures(breach.message),
      breach.message,
    );
  }
});

test("what an English page says, and what has no Russian sentence, is the API's own sentence", () => {
  const unknown = { code: "odd", params: {}, message: "Something new." };
  assert.equal(mistakeSentence("ru", unknown), unknown.message);
});

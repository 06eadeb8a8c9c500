/** Guarantee: what only shows when files are measured is held against the declared values on both sides of each border. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMeasured } from "./check-measured.ts";
import { listMedia } from "./list-media.ts";
import type { TaskParameters, TaskTableId } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

/** `seconds` by field; what is not named is not measured. */
function told(id: TaskTableId, changes: TaskParameters, seconds: Readonly<Record<string, number | null>>): string[] {
  const table = TASK_TABLES.get(id);
  assert.ok(table !== undefined);
  const parameters = { ...table.examples.minimal, ...changes };
  const measured = listMedia(table, parameters).flatMap((reference) => {
    const length = seconds[reference.field];
    return length === undefined ? [] : [{ reference, seconds: length }];
  });
  assert.equal(measured.length, Object.keys(seconds).length, "every field is there");
  return checkMeasured(table, parameters, measured).map(({ param, code, message }) => `${param} ${code}: ${message}`);
}

for (const id of ["T5", "T17"] as const) {
  test(`${id}: the declared duration covers the motion video, rounded up, a tenth of a second forgiven`, () => {
    const declared = (duration: number, seconds: number): string[] =>
      told(id, { duration, characterOrientation: "video" }, { "videoUrls[0]": seconds });
    for (const [duration, seconds, fits] of [
      [5, 5, true],
      [5, 5.1, true],
      [5, 5.11, false],
      [6, 5.11, true],
      [5, 4.2, true],
      [4, 4.5, false],
      [8, 8.1, true],
      [30, 30.1, true],
      [29, 29.2, false],
      [3, 2.95, true],
      [30, 3, true],
    ] as const) {
      assert.equal(declared(duration, seconds).length === 0, fits, `${duration} for ${seconds}`);
    }
    assert.deepEqual(declared(5, 7.4), ["duration duration: 'duration' must be at least 8: the motion video lasts 7.4 seconds."]);
    assert.deepEqual(told(id, { duration: 3 }, { "inputUrls[0]": null }), [], "not measured yet");
  });

  test(`${id}: with image orientation the video lasts at most ten seconds`, () => {
    const by = (characterOrientation: string, seconds: number): string[] =>
      told(id, { duration: 10, characterOrientation }, { "videoUrls[0]": seconds, "inputUrls[0]": null });
    assert.deepEqual(by("image", 10.1), []);
    assert.deepEqual(by("image", 12.5), [
      'videoUrls[0] duration: The video lasts 12.5 seconds; with characterOrientation "image" at most 10 are allowed.',
      "duration duration: 'duration' must be at least 13: the motion video lasts 12.5 seconds.",
    ]);
    assert.equal(by("video", 12.5).length, 1);
    assert.equal(told(id, { duration: 30, characterOrientation: "video" }, { "videoUrls[0]": 12.5 }).length, 0);
  });
}

for (const id of ["T3", "T9"] as const) {
  for (const param of ["referenceVideoUrls", "referenceAudioUrls"]) {
    test(`${id}: all of ${param} last at most fifteen seconds together`, () => {
      const files = ["a", "b", "c"].map((name) => `https://x.example.org/${name}`);
      const lasting = (...seconds: number[]): string[] => {
        const fields = Object.fromEntries(seconds.map((length, index) => [`${param}[${index}]`, length]));
        return told(id, { [param]: files }, fields);
      };
      assert.deepEqual(lasting(5, 5, 5), []);
      assert.deepEqual(lasting(5.1, 5.1, 5.1), []);
      assert.deepEqual(lasting(5.2, 5.1, 5.1), [`${param} total_duration: '${param}' last 15.4 seconds together; at most 15 are allowed.`]);
      assert.deepEqual(lasting(15), [], "the others are not measured yet");
      assert.equal(lasting(12, 4).length, 1);
    });
  }
  test(`${id}: videos and sounds have fifteen seconds each`, () => {
    const given = { referenceVideoUrls: ["https://x.example.org/v"], referenceAudioUrls: ["https://x.example.org/a"] };
    assert.deepEqual(told(id, given, { "referenceVideoUrls[0]": 15, "referenceAudioUrls[0]": 15 }), []);
  });
}

test("T15: the part ends before the video does", () => {
  const part = (start: number, ends: number, seconds: number): string[] =>
    told("T15", { videoList: [{ url: "https://x.example.org/v", start, ends }] }, { "videoList[0].url": seconds });
  assert.deepEqual(part(0, 8, 8), []);
  assert.deepEqual(part(0, 8, 7.9), []);
  assert.deepEqual(part(0, 8, 7.5), [
    "videoList[0].ends duration: 'videoList[0].ends' must be at most 7.5, which is how long the video lasts.",
  ]);
});

test("T7: an element's video is as long as the part that is taken of it", () => {
  const part = (more: object, seconds: number): string[] => {
    const pictures = { name: "p", description: "p", urls: ["https://x.example.org/1", "https://x.example.org/2"] };
    const film = { name: "f", description: "f", urls: ["https://x.example.org/v"], ...more };
    return told("T7", { elements: [pictures, film] }, { "elements[0].urls[0]": null, "elements[1].urls[0]": seconds });
  };
  assert.deepEqual(part({}, 3), []);
  assert.deepEqual(part({}, 2.8), ["elements[1].urls[0] duration: The video lasts 2.8 seconds; its part needs 3."]);
  assert.deepEqual(part({ startMs: 1000 }, 4), []);
  assert.equal(part({ startMs: 1000 }, 3).length, 1);
  assert.deepEqual(part({ startMs: 1000, endMs: 6000 }, 6), []);
  assert.equal(part({ startMs: 1000, endMs: 6000 }, 5).length, 1);
});

test("tables without such rules have nothing to say", () => {
  assert.deepEqual(told("T1", {}, { video: 7200 }), []);
  assert.deepEqual(told("T11", {}, { "videoUrls[0]": 60 }), []);
});

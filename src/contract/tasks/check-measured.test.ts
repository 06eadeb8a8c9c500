/**
 * Guarantee: what only shows when files are measured is held against the declared values on both
 * sides of each border.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMeasured } from "./check-measured.ts";
import { listMedia } from "./list-media.ts";
import type { TaskParameters, TaskTableId } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

/** `seconds` by field; what is not named is not measured. */
function reported(
  id: TaskTableId,
  changes: TaskParameters,
  seconds: Readonly<Record<string, number | null>>,
): string[] {
  const table = TASK_TABLES.get(id);
  assert.ok(table !== undefined);
  const parameters = { ...table.examples.minimal, ...changes };
  const measured = listMedia(table, parameters).flatMap((reference) => {
    const length = seconds[reference.field];
    return length === undefined ? [] : [{ reference, seconds: length }];
  });
  assert.equal(measured.length, Object.keys(seconds).length, "every field is there");
  return checkMeasured(table, parameters, measured).map(
    ({ param, code, message }) => `${param} ${code}: ${message}`,
  );
}

for (const id of ["T5", "T17"] as const) {
  test(`${id}: the declared duration covers the motion video, rounded up, a tenth of a second forgiven`, () => {
    const declared = (duration: number, seconds: number): string[] =>
      reported(id, { duration, characterOrientation: "video" }, { "videoUrls[0]": seconds });
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
    assert.deepEqual(declared(5, 7.4), [
      "duration duration: 'duration' must be at least 8: the motion video lasts 7.4 seconds.",
    ]);
    assert.deepEqual(
      reported(id, { duration: 3 }, { "inputUrls[0]": null }),
      [],
      "not measured yet",
    );
  });

  test(`${id}: with image orientation the video lasts at most ten seconds`, () => {
    const by = (characterOrientation: string, seconds: number): string[] =>
      reported(
        id,
        { duration: 10, characterOrientation },
        { "videoUrls[0]": seconds, "inputUrls[0]": null },
      );
    assert.deepEqual(by("image", 10.1), []);
    assert.deepEqual(by("image", 12.5), [
      'videoUrls[0] duration: The video lasts 12.5 seconds; with characterOrientation "image" at most 10 are allowed.',
      "duration duration: 'duration' must be at least 13: the motion video lasts 12.5 seconds.",
    ]);
    assert.equal(by("video", 12.5).length, 1);
    assert.equal(
      reported(id, { duration: 30, characterOrientation: "video" }, { "videoUrls[0]": 12.5 })
        .length,
      0,
    );
  });
}

for (const id of ["T3", "T9"] as const) {
  test(`${id}: references have fifteen seconds each, not together`, () => {
    const three = ["a", "b", "c"].map((name) => `https://x.example.org/${name}`);
    for (const param of ["referenceVideoUrls", "referenceAudioUrls"]) {
      assert.deepEqual(
        reported(
          id,
          { [param]: three },
          { [`${param}[0]`]: 15, [`${param}[1]`]: 15, [`${param}[2]`]: 15 },
        ),
        [],
      );
    }
  });
}

test("T15: a video among imageUrls is the one video, beside no other, and takes two of the seven places", () => {
  const files = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `https://x.example.org/${index}`);
  const among = (
    count: number,
    changes: TaskParameters,
    seconds: Readonly<Record<number, number>>,
  ): string[] => {
    const lengths = Object.fromEntries(
      files(count).map((_, index) => [`imageUrls[${index}]`, seconds[index] ?? null]),
    );
    return reported("T15", { imageUrls: files(count), ...changes }, lengths);
  };
  const videoList = [{ url: "https://x.example.org/v", start: 0, ends: 5 }];
  assert.deepEqual(among(1, {}, { 0: 20 }), []);
  assert.deepEqual(among(6, {}, { 5: 20 }), []);
  assert.deepEqual(among(2, {}, {}), [], "images alone");
  assert.deepEqual(among(1, { videoList }, { 0: 5 }), [
    "imageUrls[0] combination: A video among 'imageUrls' cannot be given beside 'videoList': give the video in one of them.",
  ]);
  assert.deepEqual(among(1, { videoList }, {}), [], "an image beside a video");
  assert.deepEqual(among(3, {}, { 0: 5, 2: 5 }), [
    "imageUrls[2] combination: 'imageUrls' takes one video at most.",
  ]);
  assert.equal(among(7, {}, { 0: 5 }).length, 1, "eight places");
  assert.deepEqual(among(1, { characterIds: ["a", "b", "c"] }, { 0: 5 }), []);
  assert.equal(among(1, { characterIds: ["a", "b", "c", "d"] }, { 0: 5 }).length, 1);
});

test("T15: a video among imageUrls goes to the provider as the video, from 0 to 10 seconds or its end, and decides the length", () => {
  const table = TASK_TABLES.get("T15");
  assert.ok(table !== undefined);
  const given = { prompt: "cat", imageUrls: ["i0", "v", "i2"], duration: "4", resolution: "720p" };
  const secondsOf = (length: number) => (field: string) =>
    field === "imageUrls[1]" ? length : null;
  const completed = (length: number, has: boolean): unknown =>
    table.completeMeasured?.(given, (name) => has && name === "duration", secondsOf(length))[
      "duration"
    ];
  assert.deepEqual(
    [3, 4.5, 6, 8.2, 30].map((length) => completed(length, false)),
    ["4", "6", "6", "10", "10"],
  );
  assert.equal(completed(30, true), "4", "what the body says stands");
  const clipOf = (length: number, duration: string): unknown =>
    table.arrange?.({ ...given, duration }, secondsOf(length));
  const { imageUrls: _, ...rest } = given;
  const arranged = (ends: number, duration: string): unknown => ({
    ...rest,
    duration,
    imageUrls: ["i0", "i2"],
    videoList: [{ url: "v", start: 0, ends }],
  });
  assert.deepEqual(clipOf(30, "10"), arranged(10, "10"));
  assert.deepEqual(clipOf(7.25, "8"), arranged(7.25, "8"));
  assert.deepEqual(clipOf(30, "4"), arranged(4, "4"), "no longer than what is paid for");
  assert.deepEqual(
    table.arrange?.({ prompt: "cat", imageUrls: ["v"], duration: "10" }, () => 3),
    {
      prompt: "cat",
      duration: "10",
      videoList: [{ url: "v", start: 0, ends: 3 }],
    },
  );
  assert.equal(
    table.arrange?.(given, () => null),
    given,
    "images alone stay as they are",
  );
});

test("T15: the part ends before the video does", () => {
  const part = (start: number, ends: number, seconds: number): string[] =>
    reported(
      "T15",
      { videoList: [{ url: "https://x.example.org/v", start, ends }] },
      { "videoList[0].url": seconds },
    );
  assert.deepEqual(part(0, 8, 8), []);
  assert.deepEqual(part(0, 8, 7.9), []);
  assert.deepEqual(part(0, 8, 7.5), [
    "videoList[0].ends duration: 'videoList[0].ends' must be at most 7.5, which is how long the video lasts.",
  ]);
});

test("T7: an element's video is as long as the part that is taken of it", () => {
  const part = (more: object, seconds: number): string[] => {
    const pictures = {
      name: "p",
      description: "p",
      urls: ["https://x.example.org/1", "https://x.example.org/2"],
    };
    const film = { name: "f", description: "f", urls: ["https://x.example.org/v"], ...more };
    return reported(
      "T7",
      { elements: [pictures, film] },
      { "elements[0].urls[0]": null, "elements[1].urls[0]": seconds },
    );
  };
  assert.deepEqual(part({}, 3), []);
  assert.deepEqual(part({}, 2.8), [
    "elements[1].urls[0] duration: The video lasts 2.8 seconds; its part needs 3.",
  ]);
  assert.deepEqual(part({ startMs: 1000 }, 4), []);
  assert.equal(part({ startMs: 1000 }, 3).length, 1);
  assert.deepEqual(part({ startMs: 1000, endMs: 6000 }, 6), []);
  assert.equal(part({ startMs: 1000, endMs: 6000 }, 5).length, 1);
});

test("tables without such rules have nothing to say", () => {
  assert.deepEqual(reported("T1", {}, { video: 7200 }), []);
  assert.deepEqual(reported("T11", {}, { "videoUrls[0]": 60 }), []);
});

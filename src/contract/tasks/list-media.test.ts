/** Guarantee: every URL of media in a task is found with its rules, and replaced exactly there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldOf, listMedia, replaceMedia } from "./list-media.ts";
import type { TaskTable, TaskTableId } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

function table(id: TaskTableId): TaskTable {
  const found = TASK_TABLES.get(id);
  assert.ok(found !== undefined);
  return found;
}

test("single URLs, lists, and URLs inside objects are found in the order of the table", () => {
  const rows = listMedia(table("T7"), table("T7").examples.full).map(
    ({ field, param, index, media, url }) => [field, param, index, media.kind, url],
  );
  assert.deepEqual(rows, [
    ["imageUrls[0]", "imageUrls", 0, "image", "https://files.example.com/city.jpg"],
    ["elements[0].urls[0]", "elements", 0, "image", "https://files.example.com/courier-1.jpg"],
    ["elements[0].urls[1]", "elements", 0, "image", "https://files.example.com/courier-2.png"],
    ["elements[0].audioUrls[0]", "elements", 0, "audio", "https://files.example.com/voice.mp3"],
    ["elements[1].urls[0]", "elements", 1, "video", "https://files.example.com/dog.mp4"],
  ]);
  const [video] = listMedia(table("T15"), table("T15").examples.full).filter(
    ({ param }) => param === "videoList",
  );
  assert.deepEqual(
    [video?.path, video?.media],
    [["videoList", 0, "url"], { kind: "video", maxMegabytes: 100, seconds: [0, 30] }],
  );
  const [image] = listMedia(table("T18"), table("T18").examples.full);
  assert.deepEqual(
    [image?.path, image?.index, image?.media.webpToJpeg],
    [["imageUrl"], null, true],
  );
  assert.deepEqual(listMedia(table("T9"), table("T9").examples.minimal), []);
});

test("in every table all URLs of the full example are found, and replacing them replaces those and nothing else", () => {
  for (const tableOf of TASK_TABLES.values()) {
    const parameters = tableOf.examples.full;
    const before = structuredClone(parameters);
    const found = listMedia(tableOf, parameters);
    assert.equal(
      found.length,
      JSON.stringify(parameters).match(/https:\/\//g)?.length ?? 0,
      tableOf.id,
    );
    const replaced = replaceMedia(
      parameters,
      found.map(({ path }) => ({ path, url: `https://own.example.org/${fieldOf(path)}` })),
    );
    assert.deepEqual(parameters, before);
    assert.deepEqual(
      listMedia(tableOf, replaced).map(({ url }) => url),
      found.map(({ field }) => `https://own.example.org/${field}`),
    );
    const back = replaceMedia(
      replaced,
      found.map(({ path, url }) => ({ path, url })),
    );
    assert.deepEqual(back, parameters);
    assert.deepEqual(replaceMedia(parameters, []), parameters);
  }
});

test("the same address in two places is replaced where it was named only", () => {
  const twice = {
    prompt: "https://x.example.org/a",
    imageUrls: ["https://x.example.org/a", "https://x.example.org/a"],
  };
  assert.deepEqual(
    replaceMedia(twice, [{ path: ["imageUrls", 1], url: "https://own.example.org/1" }]),
    {
      prompt: "https://x.example.org/a",
      imageUrls: ["https://x.example.org/a", "https://own.example.org/1"],
    },
  );
});

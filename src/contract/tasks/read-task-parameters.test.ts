/**
 * Guarantee: whatever a body is, its reading is exact, pure and bounded: all mistakes at once,
 * nothing coerced, nothing unknown let through.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkUrl } from "../../net/check-url.ts";
import { readTaskParameters } from "./read-task-parameters.ts";
import type { TaskTable, TaskTableId } from "./task-table.ts";
import { TASK_TABLES } from "./task-tables.ts";

function table(id: TaskTableId): TaskTable {
  const found = TASK_TABLES.get(id);
  assert.ok(found !== undefined);
  return found;
}

function read(id: TaskTableId, body: unknown): ReturnType<typeof readTaskParameters> {
  return readTaskParameters(table(id), body, (url) => checkUrl(url, { allow: [] }));
}

function reported(id: TaskTableId, body: unknown): string[] {
  const reading = read(id, body);
  return reading.ok ? [] : reading.mistakes.map(({ param, code }) => `${param} ${code}`);
}

function messages(id: TaskTableId, body: unknown): string[] {
  const reading = read(id, body);
  return reading.ok ? [] : reading.mistakes.map(({ message }) => message);
}

/** The text and what JSON.parse makes of it, own `__proto__` included. */
const parsed = (text: string): unknown => JSON.parse(text);

test("a body that is no object is one mistake of the body itself", () => {
  for (const body of [null, undefined, [], [{ prompt: "x" }], "prompt", "", 5, true])
    assert.deepEqual(reported("T19", body), [" type"]);
});

test("every mistake is told at once, with the value that was wanted", () => {
  const body = {
    promt: "x",
    imageUrls: ["blob:https://x.example/1", 7],
    resolution: "4k",
    aspectRatio: 1,
    aspect_ratio: "1:1",
    zzz: 1,
  };
  assert.deepEqual(reported("T19", body), [
    "prompt required",
    "imageUrls[0] blob_url",
    "imageUrls[1] type",
    "resolution enum",
    "aspectRatio type",
    "promt unknown_parameter",
    "aspect_ratio unknown_parameter",
    "zzz unknown_parameter",
  ]);
  const [, , , resolution, ratio, promt, snake, zzz] = messages("T19", body);
  assert.equal(resolution, `'resolution' must be one of "1K", "2K", "4K"; did you mean "4K"?`);
  assert.match(
    ratio ?? "",
    /^'aspectRatio' must be a string, one of "1:1", .*"auto"; not a number\.$/,
  );
  assert.equal(promt, "There is no parameter 'promt'. Did you mean 'prompt'?");
  assert.equal(snake, "There is no parameter 'aspect_ratio'. Did you mean 'aspectRatio'?");
  assert.equal(
    zzz,
    "There is no parameter 'zzz'. Known: prompt, imageUrls, resolution, aspectRatio.",
  );
});

test("rules between parameters are told beside other mistakes, but not where one of theirs is mistaken itself", () => {
  const both = {
    ...table("T5").examples.minimal,
    duration: 11,
    characterOrientation: "image",
    mode: "8k",
  };
  assert.deepEqual(reported("T5", both), ["mode enum", "duration combination"]);
  assert.deepEqual(reported("T5", { ...both, duration: "11" }), ["mode enum", "duration type"]);
  assert.deepEqual(reported("T5", { ...both, characterOrientation: 5 }), [
    "characterOrientation type",
    "mode enum",
  ]);
});

test("what stands where a file's URL should is refused by its name", () => {
  const bytes = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
  const places: readonly [unknown, string][] = [
    ["blob:https://app.example.com/6f1c", "blob_url"],
    ["BLOB:https://app.example.com/6f1c", "blob_url"],
    ["file:///photos/mine.png", "file_url"],
    ["data:image/png;base64,iVBORw0KGgo=", "data_url"],
    [bytes.toString("base64").padEnd(60, "A"), "base64"],
    ["iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", "base64"],
    [bytes.toString("latin1"), "raw_bytes"],
    [bytes.toString("utf8"), "raw_bytes"],
    ["\u0089PNG\r\n\u001a\n", "raw_bytes"],
    [bytes.toJSON(), "raw_bytes"],
    [[...bytes], "raw_bytes"],
    [parsed(JSON.stringify(new Uint8Array(bytes))), "raw_bytes"],
    ["photo.png", "relative_url"],
    ["/static/photo.png", "relative_url"],
    ["ftp://files.example.com/photo.png", "scheme"],
    ["http://127.0.0.1/photo.png", "address_not_public"],
    ["http://169.254.169.254/latest", "address_not_public"],
    ["http://localhost/photo.png", "internal_name"],
    ["https://user:secret@files.example.com/photo.png", "credentials"],
    [`https://files.example.com/${"a".repeat(2100)}`, "url_too_long"],
    ["", "not_a_url"],
    [{ url: "https://files.example.com/photo.png" }, "type"],
    [["https://files.example.com/photo.png"], "type"],
    [true, "type"],
  ];
  for (const [value, code] of places) {
    const shown = JSON.stringify(value).slice(0, 60);
    assert.deepEqual(reported("T8", { prompt: "x", imageUrl: value }), [`imageUrl ${code}`], shown);
    assert.deepEqual(
      reported("T6", { prompt: "x", imageUrls: [value] })[0],
      `imageUrls[0] ${code}`,
      shown,
    );
    assert.doesNotMatch(
      messages("T8", { prompt: "x", imageUrl: value }).join(),
      /secret|mine|169\.254/,
    );
  }
  // In place of a whole list too.
  for (const [value, ...codes] of [
    [places[0]?.[0], "imageUrls type", "imageUrls blob_url"],
    ["data:image/png;base64,iVBORw0KGgo=", "imageUrls type", "imageUrls data_url"],
    ["https://files.example.com/photo.png", "imageUrls type"],
    [bytes.toJSON(), "imageUrls raw_bytes"],
    [[...bytes], "imageUrls raw_bytes"],
    [bytes.toString("latin1"), "imageUrls raw_bytes"],
    [{ 0: "https://files.example.com/photo.png" }, "imageUrls type"],
  ] as const) {
    assert.deepEqual(
      reported("T6", { prompt: "x", imageUrls: value }),
      codes,
      JSON.stringify(value),
    );
  }
});

test("a URL with control characters in it is a URL with a mistake, not bytes", () => {
  assert.deepEqual(reported("T8", { prompt: "x", imageUrl: "https://files.example.com/\u0001" }), [
    "imageUrl url_characters",
  ]);
});

test("null and empty lists count as left out, and only where leaving out is allowed", () => {
  const body = {
    prompt: "x",
    duration: 5,
    resolution: null,
    generateAudio: null,
    firstFrameUrl: null,
    referenceImageUrls: [],
  };
  const reading = read("T9", body);
  const expected = {
    prompt: "x",
    duration: 5,
    resolution: "720p",
    aspectRatio: "16:9",
    generateAudio: false,
    fixedLens: false,
  };
  assert.deepEqual(reading.ok && reading.parameters, expected);
  assert.deepEqual(reported("T9", { ...body, duration: null }), ["duration required"]);
  assert.deepEqual(reported("T10", { prompt: "cat", imageUrls: [] }), ["imageUrls minItems"]);
  assert.deepEqual(reported("T9", { ...body, referenceImageUrls: [null] }), [
    "referenceImageUrls[0] type",
  ]);
});

test("names that every object has are no task's parameters", () => {
  const names = [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "__defineGetter__",
  ];
  for (const name of names) {
    const body = parsed(`{"prompt":"x",${JSON.stringify(name)}:{"resolution":"8K","prompt":5}}`);
    assert.deepEqual(reported("T19", body), [`${name} unknown_parameter`]);
  }
  assert.deepEqual(reported("T19", parsed('{"__proto__":{"prompt":"inherited"}}')), [
    "prompt required",
    "__proto__ unknown_parameter",
  ]);
  assert.deepEqual(reported("T19", Object.create({ prompt: "inherited" })), ["prompt required"]);
  const nested = parsed(
    '{"prompt":"x","multiShots":[{"prompt":"a","duration":5,"__proto__":{"x":1}}]}',
  );
  assert.deepEqual(reported("T7", nested), ["multiShots[0].__proto__ unknown_parameter"]);
  assert.equal(({} as Record<string, unknown>)["x"], undefined);
});

test("texts that cannot be stored or sent are refused, emoji count as one character", () => {
  assert.deepEqual(reported("T19", { prompt: "a\0b" }), ["prompt characters"]);
  assert.deepEqual(reported("T19", { prompt: "a\ud83e" }), ["prompt characters"]);
  assert.deepEqual(reported("T10", { prompt: "🦊🦊" }), ["prompt minLength"]);
  assert.deepEqual(reported("T10", { prompt: "🦊🦊🦊" }), []);
  assert.deepEqual(reported("T18", { ...table("T18").examples.minimal, prompt: "" }), []);
  assert.deepEqual(reported("T6", { ...table("T6").examples.minimal, prompt: "" }), [
    "prompt minLength",
  ]);
});

test("numbers that a double cannot hold are no numbers", () => {
  assert.deepEqual(reported("T1", parsed('{"video":"https://x.example.org/v","kerning":-1e999}')), [
    "kerning type",
  ]);
  assert.deepEqual(reported("T4", { ...table("T4").examples.minimal, seed: 2 ** 53 }), [
    "seed type",
  ]);
  assert.deepEqual(reported("T9", { prompt: "x", duration: Number.NaN }), ["duration type"]);
});

test("neither depth nor width of a body costs more than its parsing, nor makes the answer long", () => {
  const deep = parsed(`${"[".repeat(5000)}${"]".repeat(5000)}`);
  assert.deepEqual(reported("T19", { prompt: deep, zzz: deep }), [
    "prompt type",
    "zzz unknown_parameter",
  ]);
  assert.deepEqual(
    reported("T7", { prompt: "x", elements: [{ name: deep, description: "d", urls: [deep] }] }),
    ["elements[0].name type", "elements[0].urls[0] type"],
  );
  const wide = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`parameter_${index}`.padEnd(60, "x"), index]),
  );
  const started = performance.now();
  assert.equal(reported("T19", { ...wide, prompt: "x" }).length, 100);
  assert.equal(
    reported("T6", { prompt: "x", imageUrls: Array.from({ length: 100_000 }, () => 5) }).length,
    1,
  );
  assert.equal(
    reported("T6", { prompt: "x", imageUrls: Array.from({ length: 100_000 }, () => "x") }).length,
    15,
  );
  assert.ok(performance.now() - started < 1000);
});

test("no message repeats a long or unprintable name, nor any value", () => {
  const name = `api_key\n${"secret".repeat(1000)}`;
  const [message = ""] = messages("T19", { prompt: "x", [name]: "my-own-secret" });
  assert.ok(
    message.length < 250 && !message.includes("\n") && !message.includes("my-own-secret"),
    message,
  );
  assert.doesNotMatch(
    messages("T19", { prompt: "x", resolution: "my-own-secret" }).join(),
    /my-own-secret/,
  );
});

test("reading changes nothing, and what it gives shares nothing with the body", () => {
  for (const { id, examples } of TASK_TABLES.values()) {
    const body = structuredClone(examples.full);
    const reading = read(id, body);
    assert.ok(reading.ok);
    assert.deepEqual(body, examples.full);
    assert.deepEqual(read(id, body), reading);
    assert.deepEqual(read(id, reading.parameters), reading, "what was read reads the same again");
    for (const [name, value] of Object.entries(reading.parameters)) {
      if (typeof value === "object")
        assert.notEqual(value, (body as Record<string, unknown>)[name]);
    }
  }
});

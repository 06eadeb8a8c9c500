/**
 * Guarantee: the limits of a route and of a task upstream are read exactly against its table, every
 * mistake is told with its line, and other kinds of models have none.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../../test/support/read-catalogue.ts";

function catalogue(limits: string, table = "T9"): ReturnType<typeof readCatalogue> {
  return readCatalogue(
    `
upstreams:
  media: { protocol: kie, baseUrl: "http://127.0.0.1:1", apiKeyEnv: KEY }
models:
  video:
    type: task
    parameters: ${table}
    price: { unit: second, quantity: duration, amount: "1" }
    routes:
      - upstream: media
        model: seedance
        limits: ${limits}
`,
    { KEY: "k" },
  );
}

function reported(limits: string, table?: string): string[] {
  const reading = catalogue(limits, table);
  return reading.ok
    ? []
    : reading.mistakes.map(
        ({ path, message }) => `${path.replace("models.video.routes[0].limits", "")}: ${message}`,
      );
}

test("every kind of limit is read", () => {
  const reading = catalogue(`
          prompt: { minLength: 3, maxLength: 2000 }
          duration: { max: 12 }
          resolution: { values: [480p, 720p] }
          referenceImageUrls: { maxCount: 4, minSidePx: 300, maxSidePx: 6000, aspect: [0.4, 2.5], contentTypes: [image/jpeg] }
          referenceVideoUrls: { totalSeconds: 15, seconds: [2, 10], pixels: [409600, 927408], framesPerSecond: [24, 60], maxMegabytes: 20 }
          firstFrameUrl: { minSidePx: 300 }
          exclusive: [[[firstFrameUrl, lastFrameUrl], [referenceImageUrls]], [fixedLens, generateAudio]]
          needs: { lastFrameUrl: firstFrameUrl, referenceAudioUrls: [referenceImageUrls, referenceVideoUrls] }`);
  assert.ok(reading.ok, JSON.stringify(reading));
  const model = reading.catalogue.models.get("video");
  assert.ok(model?.type === "task");
  assert.deepEqual(model.routes[0]?.limits, {
    parameters: new Map<string, object>([
      ["prompt", { minLength: 3, maxLength: 2000 }],
      ["duration", { max: 12 }],
      ["resolution", { values: ["480p", "720p"] }],
      [
        "referenceImageUrls",
        {
          maxCount: 4,
          files: {
            minSidePx: 300,
            maxSidePx: 6000,
            aspect: [0.4, 2.5],
            contentTypes: ["image/jpeg"],
          },
        },
      ],
      [
        "referenceVideoUrls",
        {
          files: {
            totalSeconds: 15,
            seconds: [2, 10],
            pixels: [409_600, 927_408],
            framesPerSecond: [24, 60],
            maxMegabytes: 20,
          },
        },
      ],
      ["firstFrameUrl", { files: { minSidePx: 300 } }],
    ]),
    exclusive: [
      [["firstFrameUrl", "lastFrameUrl"], ["referenceImageUrls"]],
      [["fixedLens"], ["generateAudio"]],
    ],
    needs: new Map([
      ["lastFrameUrl", ["firstFrameUrl"]],
      ["referenceAudioUrls", ["referenceImageUrls", "referenceVideoUrls"]],
    ]),
  });
});

test("whatever is not a limit of that parameter is a mistake that says where", () => {
  const cases: readonly (readonly [limits: string, expected: RegExp])[] = [
    [
      "{ promt: { minLength: 3 } }",
      /^\.promt: the table has no parameter "promt"; did you mean "prompt"\?$/,
    ],
    ["{ prompt: { minSidePx: 3 } }", /^\.prompt\.minSidePx: unknown key "minSidePx"/],
    ["{ prompt: { minLength: -1 } }", /^\.prompt\.minLength: a number is expected, not "-1"$/],
    [
      "{ resolution: { values: [8k] } }",
      /^\.resolution\.values\[0\]: "8k" is not one of the known words/,
    ],
    ["{ fixedLens: { max: 1 } }", /^\.fixedLens: "fixedLens" is true or false/],
    [
      "{ referenceVideoUrls: { seconds: [9, 2] } }",
      /^\.referenceVideoUrls\.seconds: 9 is more than 2$/,
    ],
    [
      "{ referenceVideoUrls: { seconds: 9 } }",
      /^\.referenceVideoUrls\.seconds: a list is expected/,
    ],
    [
      "{ referenceImageUrls: { contentTypes: [video/mp4] } }",
      /^\.referenceImageUrls\.contentTypes\[0\]: "video\/mp4" is not one of/,
    ],
    [
      "{ referenceVideoUrls: { contentTypes: [image/png] } }",
      /a content type of video is expected/,
    ],
    ["{ exclusive: [[firstFrameUrl]] }", /^\.exclusive\[0\]: at least two are expected/],
    [
      "{ exclusive: [[firstFrameUrl, lastFrame]] }",
      /^\.exclusive\[0\]\[1\]: the table has no parameter "lastFrame"/,
    ],
    ["{ needs: { lastFrame: prompt } }", /^\.needs\.lastFrame: the table has no parameter/],
    [
      "{ needs: { lastFrameUrl: other } }",
      /^\.needs\.lastFrameUrl: the table has no parameter "other"/,
    ],
    ["[prompt]", /^: a mapping \(key: value\) is expected/],
  ];
  for (const [limits, expected] of cases) {
    const [message = "", ...more] = reported(limits);
    assert.match(message, expected);
    assert.deepEqual(more, [], limits);
  }
});

test("a chat model's route has no limits of this kind", () => {
  const reading = readCatalogue(
    `
upstreams:
  chat: { protocol: openai, baseUrl: "http://127.0.0.1:1", apiKeyEnv: KEY }
models:
  talk:
    type: chat
    endpoints: [chat.completions]
    contextTokens: 1000
    maxOutputTokens: 100
    price: { input: "1", output: "1" }
    routes: [{ upstream: chat, model: talk, limits: {} }]
`,
    { KEY: "k" },
  );
  assert.ok(!reading.ok);
  assert.match(reading.mistakes[0]?.message ?? "", /unknown key "limits"/);
});

test("how many tasks an upstream has under way at once is a whole number, and nothing for chat", () => {
  const running = (protocol: string): unknown => {
    const upstream = `{ protocol: ${protocol}, baseUrl: "https://up.example", apiKeyEnv: KEY, maxRunning: 5 }`;
    const model = `{ type: task, parameters: T19, price: { unit: image, quantity: 1, amount: "1" }, routes: [{ upstream: up, model: m }] }`;
    const read = readCatalogue(`upstreams: { up: ${upstream} }\nmodels: { picture: ${model} }`, {
      KEY: "k",
    });
    return read.ok
      ? read.catalogue.upstreams.get("up")?.maxRunning
      : read.mistakes.map(({ message }) => message).join();
  };
  assert.equal(running("kie"), 5);
  assert.match(
    String(running("anthropic")),
    /anthropic takes no tasks; maxConcurrent bounds its calls/,
  );
});

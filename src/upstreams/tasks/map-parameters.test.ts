/**
 * Guarantee: every parameter of every table reaches the provider under its name there, in its form,
 * and what only makes the price never does.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openProviderScene } from "../../../test/support/provider-scene.ts";
import { parseCatalogue } from "../../catalogue/parse-catalogue.ts";
import { TASK_TABLES } from "../../contract/tasks/task-tables.ts";
import { falProvider } from "./fal-provider.ts";
import { kieProvider } from "./kie-provider.ts";
import { mapParameters } from "./map-parameters.ts";
import { replicateProvider } from "./replicate-provider.ts";

const A = "https://f.example/a";
const B = "https://f.example/b";

interface Golden {
  readonly model: string;
  readonly ours: Readonly<Record<string, unknown>>;
  readonly theirs: Readonly<Record<string, unknown>>;
  /** Where it is not the route's. */
  readonly runs?: string;
}

const FRAMES = {
  firstFrameUrl: A,
  lastFrameUrl: B,
  referenceImageUrls: [A],
  referenceVideoUrls: [A, B],
  referenceAudioUrls: [B],
};
const THEIR_FRAMES = {
  first_frame_url: A,
  last_frame_url: B,
  reference_image_urls: [A],
  reference_video_urls: [A, B],
  reference_audio_urls: [B],
};

/** kie, field by field as its public pages name them. */
const KIE: Readonly<Record<string, Golden>> = {
  T1: {
    model: "fictions-ai/autocaption:18a4",
    ours: {
      video: A,
      subsPosition: "top",
      color: "white",
      highlightColor: "red",
      fontsize: 7,
      maxChars: 20,
      opacity: 0.5,
      font: "f",
      strokeColor: "black",
      strokeWidth: 2.6,
      kerning: -5,
      rightToLeft: false,
    },
    theirs: {
      video_file_input: A,
      subs_position: "top",
      color: "white",
      highlight_color: "red",
      fontsize: 7,
      MaxChars: 20,
      opacity: 0.5,
      font: "f",
      stroke_color: "black",
      stroke_width: 2.6,
      kerning: -5,
      right_to_left: false,
      output_video: true,
      output_transcript: false,
      translate: false,
    },
  },
  T2: {
    model: "grok-imagine-video-1-5-preview",
    ours: {
      prompt: "p",
      imageUrls: [A, B],
      duration: 5,
      resolution: "720p",
      aspectRatio: "16:9",
      nsfwChecker: true,
    },
    theirs: {
      prompt: "p",
      image_urls: [A, B],
      duration: 5,
      resolution: "720p",
      aspect_ratio: "16:9",
      nsfw_checker: true,
    },
  },
  T3: {
    model: "bytedance/seedance-2",
    ours: {
      prompt: "p",
      aspectRatio: "adaptive",
      resolution: "4k",
      duration: 15,
      generateAudio: true,
      ...FRAMES,
      returnLastFrame: true,
      webSearch: false,
    },
    theirs: {
      prompt: "p",
      aspect_ratio: "adaptive",
      resolution: "4k",
      duration: 15,
      generate_audio: true,
      ...THEIR_FRAMES,
      return_last_frame: true,
      web_search: false,
    },
  },
  T4: {
    model: "bytedance/seedream-v4-edit",
    ours: {
      prompt: "p",
      imageUrls: [A],
      nsfwChecker: false,
      imageSize: "square",
      imageResolution: "2K",
      maxImages: 3,
      seed: 0,
    },
    theirs: {
      prompt: "p",
      image_urls: [A],
      nsfw_checker: false,
      image_size: "square",
      image_resolution: "2K",
      max_images: 3,
      seed: 0,
    },
  },
  T5: {
    model: "kling-3.0/motion-control",
    ours: {
      prompt: "p",
      inputUrls: [A],
      videoUrls: [B],
      characterOrientation: "image",
      mode: "1080p",
      backgroundSource: "input_image",
      duration: 10,
    },
    theirs: {
      prompt: "p",
      input_urls: [A],
      video_urls: [B],
      character_orientation: "image",
      mode: "1080p",
      background_source: "input_image",
    },
  },
  T6: {
    model: "seedream/4.5-edit",
    ours: { prompt: "p", imageUrls: [A], nsfwChecker: false, aspectRatio: "2:3", quality: "high" },
    theirs: {
      prompt: "p",
      image_urls: [A],
      nsfw_checker: false,
      aspect_ratio: "2:3",
      quality: "high",
    },
  },
  T7: {
    model: "kling-3.0/video",
    ours: {
      prompt: "p",
      aspectRatio: "1:1",
      duration: "7",
      mode: "4K",
      sound: true,
      imageUrls: [A],
      multiShots: [
        { prompt: "one", duration: 3 },
        { prompt: "two", duration: 4 },
      ],
      elements: [
        { name: "dog", description: "a dog", urls: [A, B] },
        {
          name: "man",
          description: "a man",
          urls: [B],
          audioUrls: [A],
          startMs: 1000,
          endMs: 6000,
        },
      ],
    },
    theirs: {
      prompt: "p",
      aspect_ratio: "1:1",
      duration: "7",
      mode: "4K",
      sound: true,
      image_urls: [A],
      multi_shots: true,
      multi_prompt: [
        { prompt: "one", duration: 3 },
        { prompt: "two", duration: 4 },
      ],
      kling_elements: [
        { name: "dog", description: "a dog", element_input_urls: [A, B] },
        {
          name: "man",
          description: "a man",
          element_input_urls: [B],
          element_input_audio_urls: [A],
          start_time: 1000,
          end_time: 6000,
        },
      ],
    },
  },
  T8: {
    model: "hailuo/2-3-image-to-video-{variant}",
    runs: "hailuo/2-3-image-to-video-pro",
    ours: { prompt: "p", imageUrl: A, duration: "6", resolution: "1080P", variant: "pro" },
    theirs: { prompt: "p", image_url: A, duration: "6", resolution: "1080P" },
  },
  T9: {
    model: "bytedance/seedance-2",
    ours: {
      prompt: "p",
      aspectRatio: "21:9",
      resolution: "480p",
      duration: 15,
      generateAudio: false,
      fixedLens: false,
      ...FRAMES,
    },
    theirs: {
      prompt: "p",
      aspect_ratio: "21:9",
      resolution: "480p",
      duration: 15,
      generate_audio: false,
      ...THEIR_FRAMES,
    },
  },
  T10: {
    model: "flux-2/{model}-{text|image}-to-image",
    runs: "flux-2/flex-image-to-image",
    ours: { prompt: "p", imageUrls: [A, B], model: "flex", resolution: "2K", aspectRatio: "auto" },
    theirs: { prompt: "p", input_urls: [A, B], resolution: "2K", aspect_ratio: "auto" },
  },
  T11: {
    model: "wan/2-6-video-to-video",
    ours: { prompt: "p", videoUrls: [A, B], duration: "10", resolution: "1080p" },
    theirs: { prompt: "p", video_urls: [A, B], duration: "10", resolution: "1080p" },
  },
  T12: {
    model: "wan/2-6-image-to-video",
    ours: { prompt: "p", imageUrls: [A], duration: "15", resolution: "720p" },
    theirs: { prompt: "p", image_urls: [A], duration: "15", resolution: "720p" },
  },
  T13: {
    model: "kling-2.6/image-to-video",
    ours: { prompt: "p", imageUrl: A, duration: "5", sound: true },
    theirs: { prompt: "p", image_urls: [A], duration: "5", sound: true },
  },
  T14: {
    model: "gpt-image-2-image-to-image",
    ours: { prompt: "p", inputUrls: [A], aspectRatio: "9:21", resolution: "4K" },
    theirs: { prompt: "p", input_urls: [A], aspect_ratio: "9:21", resolution: "4K" },
  },
  T15: {
    model: "gemini-omni-video",
    ours: {
      prompt: "p",
      imageUrls: [A],
      audioIds: ["a1"],
      videoList: [{ url: B, start: 0, ends: 9.5 }],
      characterIds: ["c1"],
      imageRole: "r",
      agentInstructions: "i",
      descriptions: "d",
      duration: "8",
      resolution: "4k",
      aspectRatio: "9:16",
      seed: 7,
    },
    theirs: {
      prompt: "p",
      image_urls: [A],
      audio_ids: ["a1"],
      video_list: [{ url: B, start: 0, ends: 9.5 }],
      character_ids: ["c1"],
      image_role: "r",
      agent_instructions: "i",
      descriptions: "d",
      duration: "8",
      resolution: "4k",
      aspect_ratio: "9:16",
      seed: 7,
    },
  },
  T16: {
    model: "kling/v3-turbo-image-to-video",
    ours: { prompt: "p", imageUrl: A, duration: "15", resolution: "1080p" },
    theirs: { prompt: "p", image_urls: [A], duration: "15", resolution: "1080p" },
  },
  T17: {
    model: "kling-2.6/motion-control",
    ours: {
      prompt: "p",
      inputUrls: [A],
      videoUrls: [B],
      characterOrientation: "video",
      mode: "720p",
      duration: 30,
    },
    theirs: {
      prompt: "p",
      input_urls: [A],
      video_urls: [B],
      character_orientation: "video",
      mode: "720p",
    },
  },
  T18: {
    model: "kling/ai-avatar-standard",
    ours: { imageUrl: A, audioUrl: B, prompt: "" },
    theirs: { image_url: A, audio_url: B, prompt: "" },
  },
  T19: {
    model: "nano-banana-2",
    ours: { prompt: "p", imageUrls: [A], resolution: "4K", aspectRatio: "auto" },
    theirs: {
      prompt: "p",
      image_input: [A],
      resolution: "4K",
      aspect_ratio: "auto",
      output_format: "jpg",
    },
  },
};

test("kie: every parameter of all nineteen tables", () => {
  assert.deepEqual(Object.keys(KIE), [...TASK_TABLES.keys()]);
  for (const [table, { model, ours, theirs, runs = model }] of Object.entries(KIE)) {
    const names = Object.keys([...TASK_TABLES].find(([id]) => id === table)?.[1].parameters ?? {});
    assert.deepEqual(
      Object.keys(ours).toSorted(),
      names.toSorted(),
      `${table}: the golden parameters are all that the table has`,
    );
    assert.deepEqual(
      mapParameters(kieProvider, { table, model, parameters: ours }),
      { kind: "mapped", model: runs, path: null, input: theirs },
      table,
    );
  }
});

function mapped(
  table: string,
  model: string,
  parameters: Readonly<Record<string, unknown>>,
  provider = kieProvider,
) {
  return mapParameters(provider, { table, model, parameters });
}

test("what is absent, null or an empty list is not sent; false, zero and the empty text are", () => {
  const result = mapped("T4", "m", {
    prompt: "",
    imageUrls: [],
    nsfwChecker: false,
    imageSize: null,
    maxImages: undefined,
    seed: 0,
  });
  assert.deepEqual(result, {
    kind: "mapped",
    model: "m",
    path: null,
    input: { prompt: "", nsfw_checker: false, seed: 0 },
  });
});

test("T7: shots are a list, or asked for in words, or none", () => {
  for (const [multiShots, expected] of [
    [undefined, { multi_shots: false, prompt: "A cat." }],
    [false, { multi_shots: false, prompt: "A cat." }],
    [true, { multi_shots: false, prompt: "A cat. Tell it in several shots." }],
    [
      [{ prompt: "x", duration: 3 }],
      { multi_shots: true, multi_prompt: [{ prompt: "x", duration: 3 }], prompt: "A cat." },
    ],
  ] as const) {
    const result = mapped("T7", "m", { prompt: "A cat.", multiShots });
    assert.ok(result.kind === "mapped");
    assert.deepEqual(result.input, expected);
  }
});

test("T9: a camera held still runs on the model that can, with its frames in one list, whatever their order", () => {
  const model = "bytedance/seedance-2";
  for (const parameters of [
    { fixedLens: true, firstFrameUrl: A, lastFrameUrl: B, duration: 12 },
    { lastFrameUrl: B, duration: 12, firstFrameUrl: A, fixedLens: true },
  ])
    assert.deepEqual(mapped("T9", model, parameters), {
      kind: "mapped",
      model: "bytedance/seedance-1.5-pro",
      path: null,
      input: { fixed_lens: true, input_urls: [A, B], duration: 12 },
    });
  const lastOnly = mapped("T9", model, { fixedLens: true, lastFrameUrl: B });
  assert.deepEqual(
    lastOnly.kind === "mapped" && lastOnly.input,
    { fixed_lens: true, input_urls: [B] },
    "no hole in the list",
  );
  for (const [more, input] of [
    [{ duration: 13 }, { duration: 13 }],
    [{ referenceImageUrls: [A] }, { reference_image_urls: [A] }],
    [{ referenceVideoUrls: [A] }, { reference_video_urls: [A] }],
    [{ referenceAudioUrls: [A] }, { reference_audio_urls: [A] }],
  ] as const)
    assert.deepEqual(
      mapped("T9", model, { prompt: "A cat.", fixedLens: true, ...more }),
      {
        kind: "mapped",
        model,
        path: null,
        input: { prompt: "A cat. The camera stays fixed.", ...input },
      },
      "the other one is asked in words",
    );
  const emptied = mapped("T9", model, { fixedLens: true, referenceImageUrls: [] });
  assert.ok(emptied.kind === "mapped" && emptied.model === "bytedance/seedance-1.5-pro");
});

test("what a description says can never be made is rejected with its words", () => {
  const reading = parseCatalogue(
    `upstreams:
  up:
    protocol: http-task
    baseUrl: https://api.provider.example
    apiKeyEnv: KEY
    task:
      submit: { path: /tasks, id: /id }
      poll: { path: "/tasks/{id}", state: { at: /state, values: { done: succeeded } }, result: { urls: /urls } }
      tables:
        T9: { choices: [ { when: { fixedLens: true, duration: { above: 12 } }, reject: at most 12 seconds } ] }
models:
  m: { type: task, parameters: T9, price: { unit: video, quantity: 1, amount: "1" }, routes: [ { upstream: up, model: x } ] }
`,
    { KEY: "k" },
  );
  assert.ok(reading.ok, JSON.stringify(reading));
  const provider = reading.catalogue.upstreams.get("up")?.task;
  assert.ok(provider !== undefined);
  const rejected = { kind: "rejected", reason: "at most 12 seconds" };
  assert.deepEqual(mapped("T9", "x", { fixedLens: true, duration: 13 }, provider), rejected);
  assert.equal(mapped("T9", "x", { fixedLens: true, duration: 12 }, provider).kind, "mapped");
  assert.equal(mapped("T9", "x", { fixedLens: false, duration: 13 }, provider).kind, "mapped");
});

test("T10: text or images choose the model, and without images auto is 1:1", () => {
  const model = "flux-2/{model}-{text|image}-to-image";
  assert.deepEqual(mapped("T10", model, { model: "pro", aspectRatio: "auto", imageUrls: [] }), {
    kind: "mapped",
    model: "flux-2/pro-text-to-image",
    path: null,
    input: { aspect_ratio: "1:1" },
  });
  assert.equal(
    mapped("T10", "flux-2/pro-text-to-image", { model: "flex" }).kind,
    "mistaken",
    "flex would be paid for and pro be made",
  );
});

test("fal and Replicate: names in snake_case, what chooses the model in its id, no duration that only makes the price", () => {
  for (const provider of [falProvider, replicateProvider]) {
    for (const table of ["T5", "T17"]) {
      const result = mapped(table, "m/x", { inputUrls: [A], duration: 5 }, provider);
      assert.deepEqual(result.kind === "mapped" && result.input, { input_urls: [A] }, table);
    }
    const hailuo = mapped("T8", "m/{variant}/x", { variant: "pro", imageUrl: A }, provider);
    assert.deepEqual(hailuo, {
      kind: "mapped",
      model: "m/pro/x",
      path: null,
      input: { image_url: A },
    });
    const captions = mapped("T1", "m", { video: A, maxChars: 5 }, provider);
    assert.deepEqual(captions.kind === "mapped" && captions.input, {
      output_video: true,
      output_transcript: false,
      translate: false,
      video_file_input: A,
      MaxChars: 5,
    });
  }
  const banana = mapped("T19", "google/nano-banana-2", { imageUrls: [A] }, replicateProvider);
  assert.deepEqual(banana.kind === "mapped" && banana.input, {
    output_format: "jpg",
    image_input: [A],
  });
});

test("an adapter tells the model of a submission with its places filled, or that there is none", async (t) => {
  const { adapters, target } = await openProviderScene(t);
  const clip = target({ table: "T8", model: "fal-ai/hailuo/{variant}/image-to-video" });
  assert.equal(
    adapters.fal.modelOf(clip, { variant: "pro", imageUrl: A }),
    "fal-ai/hailuo/pro/image-to-video",
  );
  assert.equal(adapters.fal.modelOf(clip, { imageUrl: A }), null, "a place without a value");
  const dance = target({ table: "T9", model: "bytedance/seedance-2" });
  assert.equal(
    adapters.kie.modelOf(dance, { duration: 8, fixedLens: true }),
    "bytedance/seedance-1.5-pro",
  );
  assert.equal(
    adapters.kie.modelOf(dance, { duration: 15, fixedLens: true }),
    "bytedance/seedance-2",
  );
  assert.equal(
    adapters["http-task"].modelOf(dance, { duration: 15 }),
    null,
    "nothing is described",
  );
});

/**
 * How the parameters of the specification's tables become those of the models behind kie.ai; what
 * is not here goes under its own name in snake_case.
 */
import type { ParameterTest, TableMapping } from "../../protocol/task-provider.ts";
import { choice, field, table } from "./field-mapping.ts";

/** T1. The model runs at Replicate, under these names; the sandbox offers it at kie's paths too. */
export const captions: TableMapping = table({
  fields: { video: "/video_file_input", maxChars: "/MaxChars" },
  constants: new Map([
    ["/output_video", true],
    ["/output_transcript", false],
    ["/translate", false],
  ]),
});

const fixedLens = { kind: "is", value: "true" } as const;
const given = { kind: "given", given: true } as const;
const absent = { kind: "given", given: false } as const;

/** Where there is no field for it, the prompt says it. */
const heldStill = { prompt: [field("/prompt", { suffix: " The camera stays fixed." })] };

/**
 * T9. Only Seedance 1.5 Pro has a field that holds the camera still, and it takes frames only and
 * makes at most 12 seconds.
 */
const seedance: TableMapping = table({
  drop: ["fixedLens"],
  choices: [
    ...["referenceImageUrls", "referenceVideoUrls", "referenceAudioUrls"].map((references) =>
      choice({
        when: new Map<string, ParameterTest>([
          ["fixedLens", fixedLens],
          [references, given],
        ]),
        fields: heldStill,
      }),
    ),
    choice({
      when: new Map<string, ParameterTest>([
        ["fixedLens", fixedLens],
        ["duration", { kind: "above", above: 12 }],
      ]),
      fields: heldStill,
    }),
    choice({
      when: new Map([["fixedLens", fixedLens]]),
      model: "bytedance/seedance-1.5-pro",
      fields: {
        firstFrameUrl: "/input_urls/0",
        lastFrameUrl: "/input_urls/1",
        fixedLens: "/fixed_lens",
      },
    }),
  ],
});

/**
 * T10. Without images `auto` is 1:1 (the specification), which the model for text has no word for.
 */
export function textOrImage(imagesAt: string): TableMapping {
  return table({
    inModel: ["model"],
    words: { "text|image": "text" },
    fields: { imageUrls: imagesAt },
    choices: [
      choice({ when: new Map([["imageUrls", given]]), words: { "text|image": "image" } }),
      choice({
        when: new Map([["imageUrls", absent]]),
        fields: { aspectRatio: [field("/aspect_ratio", { values: new Map([["auto", "1:1"]]) })] },
      }),
    ],
  });
}

/**
 * T7. One parameter of ours is two of theirs: whether there are shots, and which. To divide a film
 * itself the model is asked in words: kie wants the shots.
 */
const kling: TableMapping = table({
  constants: new Map([["/multi_shots", false]]),
  choices: [
    choice({
      when: new Map([["multiShots", { kind: "is", value: "true" }]]),
      fields: {
        multiShots: [field("/multi_shots", { value: false })],
        prompt: [field("/prompt", { suffix: " Tell it in several shots." })],
      },
    }),
  ],
  fields: {
    multiShots: [
      field("/multi_shots", { only: "flag" }),
      field("/multi_shots", { only: "list", value: true }),
      field("/multi_prompt", { only: "list" }),
    ],
    elements: [
      field("/kling_elements", {
        keys: {
          urls: "element_input_urls",
          audioUrls: "element_input_audio_urls",
          startMs: "start_time",
          endMs: "end_time",
        },
      }),
    ],
  },
});

export const KIE_TABLES: ReadonlyMap<string, TableMapping> = new Map([
  ["T1", captions],
  ["T7", kling],
  ["T8", table({ inModel: ["variant"] })],
  ["T9", seedance],
  ["T10", textOrImage("/input_urls")],
  ["T13", table({ fields: { imageUrl: "/image_urls/0" } })],
  ["T16", table({ fields: { imageUrl: "/image_urls/0" } })],
  [
    "T19",
    table({
      fields: { imageUrls: "/image_input" },
      constants: new Map([["/output_format", "jpg"]]),
    }),
  ],
]);

/**
 * `POST /v1/images/generations` and `POST /v1/images/edits`, in OpenAI's shape: what the gateway
 * reads is typed, what a model takes besides says its table or its upstream.
 */
import Type from "typebox";
import { nullableBoolean, nullableInteger, nullableString } from "./nullable.ts";

const PARAMETERS = {
  model: Type.String({
    minLength: 1,
    description:
      "A model whose `endpoints` in `GET /v1/models` name this one: of type `image`, or a task model that makes images.",
    examples: ["nano-banana-2"],
  }),
  prompt: Type.String({
    description: "The image you want.",
    examples: ["A poster for a jazz night."],
  }),
  n: Type.Optional(
    nullableInteger(
      { minimum: 1 },
      { description: "How many images; many models make one at a time.", examples: [1] },
    ),
  ),
  size: Type.Optional(
    nullableString({
      description:
        "Width and height in pixels, or `auto`. Of a task model exactly those that are a shape and a resolution of its table; a refusal lists them.",
      examples: ["1024x1024"],
    }),
  ),
  quality: Type.Optional(nullableString({ description: "`auto`, or what the model has." })),
  background: Type.Optional(nullableString({ description: "`auto`, or what the model has." })),
  moderation: Type.Optional(nullableString({ description: "`auto`, or what the model has." })),
  response_format: Type.Optional(
    Type.Unsafe<"url" | "b64_json" | null>({
      enum: ["url", "b64_json", null],
      description: "An address in our storage, or the bytes as base64. `b64_json` by default.",
    }),
  ),
  output_format: Type.Optional(
    nullableString({
      description: "Of models of type `image`; a task model makes the format that it makes.",
    }),
  ),
  stream: Type.Optional(
    nullableBoolean({
      description:
        "Events instead of one answer: each image when it is completed, and of models of type `image` partial ones where they are asked for.",
    }),
  ),
  partial_images: Type.Optional(
    nullableInteger(
      { minimum: 0 },
      { description: "Of a stream: how many; a task has none.", examples: [0] },
    ),
  ),
  user: Type.Optional(nullableString({ description: "Whose request it is, for your own books." })),
};

export const ImageGenerationRequestBody = Type.Object(PARAMETERS, {
  description:
    "What is to be made. A task model also takes the parameters of its table by their own names, such as `aspectRatio`; what it has no equivalent for is refused by name.",
});

export const ImageEditRequestBody = Type.Object(
  {
    ...PARAMETERS,
    image: Type.String({
      format: "binary",
      description: "The image to work on; several as `image[]`.",
    }),
    mask: Type.Optional(
      Type.String({
        format: "binary",
        description: "Of models of type `image`: where the first image may be changed.",
      }),
    ),
  },
  { description: "A form: the images, and what is to be made of them." },
);

export const ImagesAnswer = Type.Object(
  {
    created: Type.Integer({ description: "Unix time, seconds.", examples: [1_796_000_000] }),
    data: Type.Array(
      Type.Object({
        url: Type.Optional(
          Type.String({
            description: "In our storage; whoever has it may read the image.",
            examples: ["https://files.example.com/static/3k9x0q7w2m5n8b1v4c6z0a9s8d7f6g5h.png"],
          }),
        ),
        b64_json: Type.Optional(Type.String({ description: "The bytes, base64." })),
      }),
      { description: "The images." },
    ),
    size: Type.Optional(
      Type.String({
        description: "Of the first image, as it was measured.",
        examples: ["1024x1024"],
      }),
    ),
    output_format: Type.Optional(
      Type.String({ description: "Of the first image.", examples: ["png"] }),
    ),
  },
  { description: "Images that were made." },
);

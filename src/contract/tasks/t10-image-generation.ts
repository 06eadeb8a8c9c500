/** T10, image generation and image-to-image (FLUX.2): the specification to the letter. */
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { aspectRatio, imageUrls, prompt, resolution } from "./usual-parameters.ts";

export const T10: TaskTable = {
  id: "T10",
  title: {
    en: "Image generation and image-to-image",
    ru: "Создание изображений, в том числе по образцам",
  },
  summary: {
    en: "Makes an image from text, or from up to 8 images.",
    ru: "Создаёт изображение по тексту или по изображениям, до 8.",
  },
  makes: "image",
  parameters: {
    prompt: prompt({
      minLength: 3,
      maxLength: 5000,
      description: {
        en: "The image you want, 3 to 5,000 characters.",
        ru: "Каким должно быть изображение, от 3 до 5000 символов.",
      },
      source: "contract §7",
    }),
    imageUrls: imageUrls({
      count: [1, 8],
      media: stillImage(10),
      description: {
        en: "1 to 8 images to work on; without them the image is made from text.",
        ru: "От 1 до 8 исходных изображений; без них изображение создаётся по тексту.",
      },
      source: "contract §7; types: kie",
    }),
    model: {
      kind: "choice",
      values: ["pro", "flex"],
      default: "pro",
      title: { en: "Variant", ru: "Вариант" },
      description: { en: "pro or flex.", ru: "pro или flex." },
      source: "contract §7",
    },
    resolution: resolution({ values: ["1K", "2K"], default: "1K", source: "contract §7" }),
    aspectRatio: aspectRatio(
      {
        values: ["1:1", "4:3", "3:4", "16:9", "9:16", "3:2", "2:3", "auto"],
        default: "1:1",
        source: "contract §7",
      },
      {
        en: "Width to height; auto keeps that of the first image, and is 1:1 without images.",
        ru: "Ширина к высоте; auto — как у первого изображения, без изображений — 1:1.",
      },
    ),
  },
  rules: [],
  // Source: contract §7. Here, so that no provider has to know it.
  complete: (parameters) =>
    parameters["aspectRatio"] === "auto" && parameters["imageUrls"] === undefined
      ? { ...parameters, aspectRatio: "1:1" }
      : parameters,
  examples: {
    minimal: { prompt: "A teapot in the shape of a cat." },
    full: {
      prompt: "The cat of the first image sits on the sofa of the second.",
      imageUrls: ["https://files.example.com/cat.jpg", "https://files.example.com/sofa.png"],
      model: "flex",
      resolution: "2K",
      aspectRatio: "auto",
    },
  },
};

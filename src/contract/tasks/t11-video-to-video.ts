/** T11, video to video (Wan 2.6): the specification to the letter; the count of videos is ours. */
import { MP4_MOV } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { durationChoice, MOST_FILES, prompt, resolution } from "./usual-parameters.ts";

export const T11: TaskTable = {
  id: "T11",
  title: { en: "Video to video", ru: "Видео из видео" },
  summary: { en: "Makes a new video after given ones.", ru: "Создаёт новое видео по данным." },
  makes: "video",
  parameters: {
    prompt: prompt({
      minLength: 2,
      maxLength: 5000,
      description: {
        en: "The video you want, 2 to 5,000 characters.",
        ru: "Каким должно быть видео, от 2 до 5000 символов.",
      },
      source: "contract §7",
    }),
    videoUrls: {
      kind: "urls",
      required: true,
      count: [1, MOST_FILES],
      media: { kind: "video", contentTypes: [...MP4_MOV, "video/x-matroska"], maxMegabytes: 10 },
      title: { en: "Videos", ru: "Видео" },
      description: { en: "Videos to work from.", ru: "Исходные видео." },
      source: "contract §7; count: ours",
    },
    duration: durationChoice({ values: ["5", "10"], default: "5", source: "contract §7" }),
    resolution: resolution({ values: ["720p", "1080p"], default: "1080p", source: "contract §7" }),
  },
  rules: [],
  examples: {
    minimal: {
      prompt: "The same walk, in watercolour.",
      videoUrls: ["https://files.example.com/walk.mp4"],
    },
    full: {
      prompt: "The dog of the first video runs along the beach of the second.",
      videoUrls: ["https://files.example.com/dog.mov", "https://files.example.com/beach.mkv"],
      duration: "10",
      resolution: "720p",
    },
  },
};

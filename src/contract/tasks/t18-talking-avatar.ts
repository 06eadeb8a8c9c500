/**
 * T18, talking avatar (Kling AI Avatar): the specification to the letter, which is narrower than
 * the provider.
 */
import { stillImage } from "./media-declaration.ts";
import type { TaskTable } from "./task-table.ts";
import { imageUrl, prompt } from "./usual-parameters.ts";

export const T18: TaskTable = {
  id: "T18",
  title: { en: "Talking avatar", ru: "Говорящий аватар" },
  summary: {
    en: "The person of an image says what is heard in a recording.",
    ru: "Человек с изображения говорит то, что звучит в записи.",
  },
  makes: "video",
  parameters: {
    imageUrl: imageUrl({
      media: stillImage(10, { webpToJpeg: true }),
      description: {
        en: "The avatar: one person, the face well seen.",
        ru: "Аватар: один человек, лицо хорошо видно.",
      },
      source: "contract §7",
    }),
    audioUrl: {
      kind: "url",
      required: true,
      media: {
        kind: "audio",
        contentTypes: ["audio/mpeg", "audio/wav", "audio/mp4", "audio/aac"],
        maxMegabytes: 10,
        seconds: [0, 15],
      },
      title: { en: "Recording", ru: "Запись" },
      description: {
        en: "The speech: MP3, WAV, M4A or AAC, up to 15 seconds.",
        ru: "Речь: MP3, WAV, M4A или AAC, до 15 секунд.",
      },
      source: "contract §7",
    },
    // Required, as the specification says, but it may be empty: the recording says everything that
    // has to be said, and the provider's own example sends an empty string.
    prompt: prompt({
      minLength: 0,
      maxLength: 5000,
      description: {
        en: "How the avatar behaves: mood, gestures. Must be given, may be empty.",
        ru: "Как ведёт себя аватар: настроение, жесты. Поле обязательно, но может быть пустым.",
      },
      source: "contract §7; may be empty: kie's example",
    }),
  },
  rules: [],
  examples: {
    minimal: {
      imageUrl: "https://files.example.com/face.jpg",
      audioUrl: "https://files.example.com/speech.mp3",
      prompt: "",
    },
    full: {
      imageUrl: "https://files.example.com/face.webp",
      audioUrl: "https://files.example.com/speech.m4a",
      prompt: "Calm, with a slight smile.",
    },
  },
};

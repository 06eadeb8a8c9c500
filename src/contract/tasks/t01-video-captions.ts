/**
 * T1, video captions (fictions-ai/autocaption): the specification shows names and types only;
 * limits and defaults are the provider's.
 */
import type { TextParameter, Words } from "./task-parameter.ts";
import type { TaskTable } from "./task-table.ts";

function color(title: Words, byDefault: string): TextParameter {
  return {
    kind: "text",
    minLength: 1,
    maxLength: 64,
    default: byDefault,
    title,
    description: {
      en: "A colour's name or hex, such as white or #FFCC00.",
      ru: "Название цвета или hex, например white или #FFCC00.",
    },
    source: "type: contract §7; default: replicate; length: ours",
  };
}

export const T1: TaskTable = {
  id: "T1",
  title: { en: "Video captions", ru: "Субтитры к видео" },
  summary: {
    en: "Hears what is said in a video and writes it into the picture.",
    ru: "Распознаёт речь в видео и накладывает субтитры.",
  },
  makes: "video",
  parameters: {
    video: {
      kind: "url",
      required: true,
      media: { kind: "video" },
      title: { en: "Video", ru: "Видео" },
      description: { en: "The video that gets captions.", ru: "Видео, к которому нужны субтитры." },
      source: "contract §7",
    },
    subsPosition: {
      kind: "choice",
      values: ["bottom75", "center", "top", "bottom", "left", "right"],
      default: "bottom75",
      title: { en: "Position", ru: "Положение" },
      description: {
        en: "Where the captions stand; bottom75 is a little above the bottom.",
        ru: "Где стоят субтитры; bottom75 — чуть выше нижнего края.",
      },
      source: "replicate",
    },
    color: color({ en: "Colour", ru: "Цвет" }, "white"),
    highlightColor: color(
      { en: "Colour of the spoken word", ru: "Цвет произносимого слова" },
      "yellow",
    ),
    fontsize: {
      kind: "number",
      min: 1,
      default: 7,
      title: { en: "Font size", ru: "Размер шрифта" },
      description: {
        en: "7 suits wide videos, 4 upright ones.",
        ru: "7 подходит для широких видео, 4 — для вертикальных.",
      },
      source: "type: contract §7; default and minimum: replicate",
    },
    maxChars: {
      kind: "integer",
      min: 1,
      default: 20,
      title: { en: "Characters per line", ru: "Символов в строке" },
      description: {
        en: "20 suits wide videos, 10 upright ones.",
        ru: "20 подходит для широких видео, 10 — для вертикальных.",
      },
      source: "type: contract §7; whole, default and minimum: replicate",
    },
    opacity: {
      kind: "number",
      min: 0,
      max: 1,
      default: 0,
      advanced: true,
      title: { en: "Background opacity", ru: "Непрозрачность подложки" },
      description: {
        en: "Of the box behind the captions: 0 is none, 1 is solid.",
        ru: "Подложки под субтитрами: 0 — её нет, 1 — сплошная.",
      },
      source: "type: contract §7; default: replicate; range: ours",
    },
    font: {
      kind: "text",
      minLength: 1,
      maxLength: 200,
      default: "Poppins/Poppins-ExtraBold.ttf",
      advanced: true,
      title: { en: "Font", ru: "Шрифт" },
      // The provider takes 14 names, of which only those of Poppins are known to us for sure; so it
      // decides.
      description: {
        en: "A font of the provider, such as Poppins/Poppins-Bold.ttf.",
        ru: "Шрифт провайдера, например Poppins/Poppins-Bold.ttf.",
      },
      source: "default: replicate; length: ours",
    },
    strokeColor: {
      ...color({ en: "Outline colour", ru: "Цвет обводки" }, "black"),
      advanced: true,
    },
    strokeWidth: {
      kind: "number",
      min: 0,
      default: 2.6,
      advanced: true,
      title: { en: "Outline width", ru: "Толщина обводки" },
      description: { en: "0 is no outline.", ru: "0 — без обводки." },
      source: "type: contract §7; default: replicate; minimum: ours",
    },
    kerning: {
      kind: "number",
      default: -5,
      advanced: true,
      title: { en: "Letter spacing", ru: "Межбуквенный интервал" },
      description: {
        en: "Negative brings the letters closer.",
        ru: "Отрицательный сближает буквы.",
      },
      source: "type: contract §7; default: replicate",
    },
    rightToLeft: {
      kind: "flag",
      default: false,
      advanced: true,
      title: { en: "Right to left", ru: "Справа налево" },
      description: {
        en: "For scripts that run right to left; works with Arial fonts only.",
        ru: "Для письма справа налево; работает только со шрифтами Arial.",
      },
      source: "type: contract §7; default: replicate",
    },
  },
  rules: [],
  examples: {
    minimal: { video: "https://files.example.com/talk.mp4" },
    full: {
      video: "https://files.example.com/talk.mp4",
      subsPosition: "center",
      color: "white",
      highlightColor: "#FFCC00",
      fontsize: 4.5,
      maxChars: 10,
      opacity: 0.3,
      font: "Poppins/Poppins-Bold.ttf",
      strokeColor: "black",
      strokeWidth: 2,
      kerning: -3,
      rightToLeft: false,
    },
  },
};

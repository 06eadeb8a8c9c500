/** What a parameter of a task allows, in words: lengths, ranges, counts, what its files may be. */
import type { Language } from "../../contract/enums/language.ts";
import type { PanelObjectField, PanelTaskField } from "../../contract/panel/panel-model.ts";
import { plainAmount } from "./format-figures.ts";
import { parameterWordsEn } from "./texts/parameter-words.en.ts";
import { parameterWordsRu, type ParameterWords } from "./texts/parameter-words.ru.ts";

type AnyField = PanelTaskField | PanelObjectField;
type Media = NonNullable<AnyField["media"]>;

interface Words extends ParameterWords {
  figure(value: number): string;
}

const COMMON_NAMES: Readonly<Record<string, string>> = {
  quicktime: "MOV",
  "x-matroska": "MKV",
  mpeg: "MP3",
};

/** Empty where there is nothing to say. */
export function parameterBounds(field: AnyField, language: Language): string {
  const t = wordsOf(language);
  const { media, mediaAlone } = field;
  const byDefault = "default" in field ? field.default : undefined;
  const sentences = [
    boundsOf(field, t),
    ...(media === undefined ? [] : mediaWords(media, t)),
    ...(mediaAlone === undefined ? [] : mediaWords(mediaAlone, t).map((one) => t.alone(one))),
    byDefault === undefined ? "" : t.byDefault(String(byDefault)),
  ];
  return sentences
    .filter((one) => one !== "")
    .map((one) => `${one.charAt(0).toUpperCase()}${one.slice(1)}.`)
    .join(" ");
}

function wordsOf(language: Language): Words {
  const words = language === "ru" ? parameterWordsRu : parameterWordsEn;
  const figure = (value: number): string =>
    `${value < 0 ? "\u2212" : ""}${plainAmount(String(Math.abs(value)), language)}`;
  return { ...words, figure };
}

function boundsOf(
  { kind, min, max, minLength = 0, maxLength, minItems = 0, maxItems }: AnyField,
  t: Words,
): string {
  if (kind === "text")
    return maxLength === undefined ? "" : t.characters(span(some(minLength), maxLength, t));
  if (kind === "number" || kind === "integer") return span(min, max, t);
  return maxItems === undefined ? "" : t.items(span(some(minItems), maxItems, t));
}

function span(least: number | undefined, most: number | undefined, t: Words): string {
  if (most === undefined) return least === undefined ? "" : t.from(t.figure(least));
  if (least === undefined) return t.to(t.figure(most));
  return least === most ? t.figure(most) : t.between(t.figure(least), t.figure(most));
}

/** Of a length, a count or a file a lower bound of 0 is none. */
function some(least: number): number | undefined {
  return least === 0 ? undefined : least;
}

/** Of the file, and of the video that may stand in an image's place. */
function mediaWords({ orVideo, ...media }: Media, t: Words): readonly string[] {
  const own = fileWords(media, t);
  return orVideo === undefined ? [own] : [own, fileWords({ ...orVideo, kind: "video" }, t)];
}

function fileWords(media: Omit<Media, "orVideo">, t: Words): string {
  const { kind, contentTypes = [], maxMegabytes, seconds, totalSeconds } = media;
  const { minSidePx, maxSidePx, aspect, framesPerSecond, pixels } = media;
  const types = contentTypes.map(typeName).join(", ");
  const pair = (bounds: readonly [number, number] | undefined): string =>
    bounds === undefined ? "" : span(some(short(bounds[0])), short(bounds[1]), t);
  const worded = (text: string, say: (text: string) => string): string =>
    text === "" ? "" : say(text);
  return [
    types === "" ? t.kinds[kind] : `${t.kinds[kind]} ${types}`,
    maxMegabytes === undefined ? "" : t.megabytes(t.figure(maxMegabytes)),
    worded(pair(seconds), t.seconds),
    totalSeconds === undefined ? "" : t.together(t.figure(totalSeconds)),
    worded(span(minSidePx, maxSidePx, t), t.sides),
    worded(pair(pixels), t.pixels),
    worded(pair(aspect), t.aspect),
    worded(pair(framesPerSecond), t.frames),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** Of a ratio, two digits. */
function short(value: number): number {
  return Math.round(value * 100) / 100;
}

function typeName(contentType: string): string {
  const name = contentType.split("/")[1] ?? contentType;
  return COMMON_NAMES[name] ?? name.toUpperCase();
}

/** What a parameter allows, in words: lengths, ranges, counts, and what its files may be. */
import type { Language } from "../../../../../src/contract/enums/language.ts";
import type {
  PanelObjectField,
  PanelTaskField,
} from "../../../../../src/contract/panel/panel-model.ts";
import type { PlaygroundTexts } from "../../../i18n/texts/playground.ru.ts";

export type AnyField = PanelTaskField | PanelObjectField;
export type FieldMedia = NonNullable<PanelTaskField["media"]>;

const COMMON_NAMES: Readonly<Record<string, string>> = {
  quicktime: "MOV",
  "x-matroska": "MKV",
  mpeg: "MP3",
};

/** The description of a field and its bounds, as one paragraph. */
export function hintOf(field: AnyField, t: PlaygroundTexts, language: Language): string {
  const description = field.description[language];
  const most = field.kind === "text" ? field.maxLength : (field.max ?? field.maxItems);
  const bounds = most !== undefined && tells(description, most) ? "" : boundsOf(field, t);
  return [description, bounds, defaultWords(field, t), mediaOf(field, t)]
    .filter((part) => part !== "")
    .join(" ");
}

/** Whether a description has this number already: `20 000`, `20,000`, `20000`. */
function tells(description: string, bound: number): boolean {
  const numbers: readonly string[] =
    description.replaceAll(/(?<=\d)[\s,](?=\d{3})/g, "").match(/\d+(\.\d+)?/g) ?? [];
  return numbers.includes(String(bound));
}

/** Flags and choices show theirs by themselves. */
function defaultWords(field: AnyField, t: PlaygroundTexts): string {
  const written = field.kind === "text" || field.kind === "number" || field.kind === "integer";
  return written && "default" in field && field.default !== undefined
    ? t.defaultIs(String(field.default))
    : "";
}

function boundsOf(field: AnyField, t: PlaygroundTexts): string {
  const { kind, min, max, minLength, maxLength, minItems, maxItems } = field;
  if (kind === "text")
    return maxLength === undefined ? "" : t.characters(minLength ?? 0, maxLength);
  if (kind === "number" || kind === "integer") {
    if (min !== undefined && max !== undefined) return t.between(String(min), String(max));
    return min !== undefined
      ? t.atLeast(String(min))
      : max !== undefined
        ? t.atMost(String(max))
        : "";
  }
  if (maxItems === undefined) return "";
  if (minItems === maxItems) return t.itemsExactly(maxItems);
  return minItems === undefined || minItems === 0
    ? t.itemsUpTo(maxItems)
    : t.itemsBetween(minItems, maxItems);
}

function mediaOf({ media, mediaAlone }: AnyField, t: PlaygroundTexts): string {
  if (media === undefined) return "";
  const { orVideo } = media;
  const video: FieldMedia[] = orVideo === undefined ? [] : [{ ...orVideo, kind: "video" }];
  const lines = [media, ...video, ...(mediaAlone === undefined ? [] : [mediaAlone])].map((one) =>
    mediaWords(one, t),
  );
  return lines.map((words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`).join(" ");
}

function mediaWords(media: FieldMedia, t: PlaygroundTexts): string {
  const [aspectMin, aspectMax] = media.aspect ?? [];
  const [secondsMin, secondsMax] = media.seconds ?? [];
  const [framesMin, framesMax] = media.framesPerSecond ?? [];
  const { minSidePx, maxSidePx } = media;
  const types = (media.contentTypes ?? []).map(typeName).join(", ");
  return [
    types === "" ? t.kinds[media.kind] : `${t.kinds[media.kind]} ${types}`,
    media.maxMegabytes === undefined ? "" : t.megabytes(String(media.maxMegabytes)),
    secondsMin === undefined || secondsMax === undefined
      ? ""
      : t.seconds(String(secondsMin), String(secondsMax)),
    media.totalSeconds === undefined ? "" : t.totalSeconds(String(media.totalSeconds)),
    minSidePx !== undefined && maxSidePx !== undefined
      ? t.sides(String(minSidePx), String(maxSidePx))
      : minSidePx !== undefined
        ? t.sidesFrom(String(minSidePx))
        : maxSidePx !== undefined
          ? t.sidesTo(String(maxSidePx))
          : "",
    aspectMin === undefined || aspectMax === undefined
      ? ""
      : t.aspect(short(aspectMin), short(aspectMax)),
    framesMin === undefined || framesMax === undefined
      ? ""
      : t.frames(String(framesMin), String(framesMax)),
  ]
    .filter((part) => part !== "")
    .join(" · ");
}

function short(ratio: number): string {
  return String(Math.round(ratio * 100) / 100);
}

function typeName(contentType: string): string {
  const name = contentType.split("/")[1] ?? contentType;
  return COMMON_NAMES[name] ?? name.toUpperCase();
}

/** What a file of the field may be; undefined: anything. */
export function kindsOf(media: FieldMedia | undefined): readonly FieldMedia["kind"][] | undefined {
  if (media === undefined) return undefined;
  return media.orVideo === undefined ? [media.kind] : [media.kind, "video"];
}

/** Of an `<input type="file">`. */
export function acceptOf(media: FieldMedia | undefined): string | undefined {
  if (media === undefined) return undefined;
  const types = media.contentTypes ?? [];
  const own = types.length === 0 ? `${media.kind}/*` : types.join(",");
  return media.orVideo === undefined
    ? own
    : `${own},${acceptOf({ ...media.orVideo, kind: "video" })}`;
}

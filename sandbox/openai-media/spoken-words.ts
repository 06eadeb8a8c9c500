/** What the sandbox hears in a sound: words by its hash, two a second, in parts of five seconds. */

export interface SpokenWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly words: readonly SpokenWord[];
}

const ENGLISH =
  "the river runs under an old bridge and nobody counts its lamps before morning comes".split(" ");
const RUSSIAN =
  "река идёт под старым мостом и никто не считает его фонари пока не придёт утро".split(" ");
const WORDS_A_SECOND = 2;
const SEGMENT_SECONDS = 5;

/** `sha256`: of the file, hexadecimal. */
export function segmentsOf(sha256: string, seconds: number, russian: boolean): Segment[] {
  const vocabulary = russian ? RUSSIAN : ENGLISH;
  const count = Math.max(1, Math.floor(seconds * WORDS_A_SECOND));
  const words = Array.from({ length: count }, (_, index): SpokenWord => {
    const pick = Number.parseInt(sha256.slice((2 * index) % 62, ((2 * index) % 62) + 2), 16);
    return {
      word: vocabulary[(pick + index) % vocabulary.length] ?? "",
      start: inSeconds(Math.min(seconds, index / WORDS_A_SECOND)),
      end: inSeconds(Math.min(seconds, (index + 1) / WORDS_A_SECOND)),
    };
  });
  const parts = Map.groupBy(words, ({ start }) => Math.floor(start / SEGMENT_SECONDS));
  return [...parts.values()].map((spoken) => ({
    start: spoken[0]?.start ?? 0,
    end: spoken.at(-1)?.end ?? 0,
    words: spoken,
  }));
}

export function textOf(segments: readonly Segment[]): string {
  return segments.flatMap(({ words }) => words.map(({ word }) => word)).join(" ");
}

export function subtitles(segments: readonly Segment[], format: "srt" | "vtt"): string {
  const mark = format === "srt" ? "," : ".";
  const cues = segments.map(({ start, end, words }, index) => {
    const head = format === "srt" ? `${index + 1}\n` : "";
    const line = words.map(({ word }) => word).join(" ");
    return `${head}${clock(start, mark)} --> ${clock(end, mark)}\n${line}\n`;
  });
  return `${format === "vtt" ? "WEBVTT\n\n" : ""}${cues.join("\n")}\n`;
}

function clock(seconds: number, mark: string): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [h, m, s] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1000) % 60,
  ];
  return `${two(h)}:${two(m)}:${two(s)}${mark}${String(ms % 1000).padStart(3, "0")}`;
}

function inSeconds(value: number): number {
  return Math.round(value * 1000) / 1000;
}

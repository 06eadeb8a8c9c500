/**
 * Holds what was measured of files against the rules of a parameter, and names every breach at
 * once.
 */
import type { AllowedRange, FileMistakes } from "../contract/tasks/file-mistake.ts";
import type { WordedMistake } from "../contract/tasks/task-mistake.ts";
import { ENGLISH_BREACHES } from "./english-breaches.ts";
import type { MediaFacts, MediaType } from "./media-facts.ts";
import { MEGABYTE, rulesFor, wantedKind } from "./media-rules.ts";
import type { Breach, MeasuredFile, MediaRule, MediaRules, SetBreach } from "./media-rules.ts";

/** Codecs pad: what is sold as three seconds may measure 2.98 or 3.05. */
const SECONDS_TOLERANCE = 0.1;
/** 23.976 is called 24. */
const RATE_TOLERANCE = 0.1;

const NAMES: Readonly<Record<MediaType, string>> = {
  "image/jpeg": "JPEG",
  "image/png": "PNG",
  "image/webp": "WebP",
  "image/gif": "GIF",
  "image/avif": "AVIF",
  "video/mp4": "MP4",
  "video/quicktime": "QuickTime",
  "video/webm": "WebM",
  "video/x-matroska": "MKV",
  "audio/mpeg": "MP3",
  "audio/wav": "WAV",
  "audio/mp4": "M4A",
  "audio/aac": "AAC",
  "audio/ogg": "OGG",
  "audio/flac": "FLAC",
  "audio/webm": "WebM",
  "audio/x-matroska": "MKA",
  "audio/quicktime": "QuickTime",
};
/** What an MPEG-4 file may hold too, but none that is called M4A. */
const NO_M4A: Readonly<Record<string, string>> = { opus: "Opus", vorbis: "Vorbis", flac: "FLAC" };

/** One file. Nothing in the list: it keeps all the rules that are about one file. */
export function checkMedia(file: MeasuredFile, given: MediaRules): Breach[] {
  const { facts, bytes } = file;
  const rules = rulesFor(facts.kind, given);
  const breaches: Breach[] = [];
  const breach: Report = (reason, params) => void breaches.push(breachOf(reason, params));
  const { maxMegabytes = Infinity } = rules;
  if (bytes > maxMegabytes * MEGABYTE)
    breach("size", { has: megabytes(bytes), limit: maxMegabytes });
  if (facts.kind !== rules.kind) {
    breach("kind", { wanted: wantedKind(rules), got: facts.kind, type: NAMES[facts.contentType] });
    return breaches;
  }
  const types = acceptedTypes(rules);
  const stranger =
    facts.kind === "audio" && facts.contentType === "audio/mp4"
      ? NO_M4A[facts.codec ?? ""]
      : undefined;
  if (types !== null && (stranger !== undefined || !types.includes(facts.contentType))) {
    const got = stranger === undefined ? NAMES[facts.contentType] : `${stranger} (MP4)`;
    breach("file_type", { got, allowed: types.map((type) => NAMES[type]) });
  }
  if (facts.kind === "image" && facts.frames > 1) breach("animated", { frames: facts.frames });
  if (facts.kind !== "audio") checkShape(facts, rules, breach);
  if (facts.kind !== "image") checkLength(facts, rules, breach);
  return breaches;
}

type Report = <Reason extends FileReason>(reason: Reason, params: FileMistakes[Reason]) => void;
/** Those that are measured; the kind by the first bytes is told where files are taken. */
type FileReason = Exclude<keyof FileMistakes, "kind_by_start">;

function breachOf<Reason extends FileReason>(reason: Reason, params: FileMistakes[Reason]): Breach {
  const shown: WordedMistake["params"] = { ...params };
  return {
    rule: reason === "file_type" ? "type" : reason,
    reason,
    params: shown,
    message: ENGLISH_BREACHES[reason](params),
  };
}

/** A parameter's files together, each of them checked too. */
export function checkMediaSet(files: readonly MeasuredFile[], rules: MediaRules): SetBreach[] {
  const breaches: SetBreach[] = files.flatMap((file, index) =>
    checkMedia(file, rules).map(({ rule, message }) => ({ rule, message, index })),
  );
  const breach = (rule: MediaRule, message: string): void =>
    void breaches.push({ rule, message, index: null });
  const [min, max] = rules.count ?? [0, Infinity];
  if (files.length < min || files.length > max)
    breach("count", `There are ${files.length} files; ${describeCount(min, max)}.`);
  const seconds = files.reduce(
    (sum, { facts }) => sum + (facts.kind === "image" ? 0 : facts.durationSeconds),
    0,
  );
  const { totalSeconds = Infinity, totalMegabytes = Infinity } = rules;
  if (seconds > totalSeconds + SECONDS_TOLERANCE * files.length)
    breach(
      "total_duration",
      `The files last ${figure(seconds)} seconds together; at most ${totalSeconds} are allowed.`,
    );
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > totalMegabytes * MEGABYTE)
    breach(
      "total_size",
      `The files have ${megabytes(bytes)} MB together; at most ${totalMegabytes} MB are allowed.`,
    );
  return breaches;
}

/** Null: every type of the kind. */
function acceptedTypes(rules: MediaRules): readonly MediaType[] | null {
  if (rules.contentTypes === undefined) return null;
  return rules.webpToJpeg === true
    ? [...new Set<MediaType>([...rules.contentTypes, "image/webp"])]
    : rules.contentTypes;
}

function checkShape(
  { width, height }: Exclude<MediaFacts, { kind: "audio" }>,
  rules: MediaRules,
  breach: Report,
): void {
  const size = `${width}×${height}`;
  const { minSidePx = 0, maxSidePx = Infinity } = rules;
  if (Math.min(width, height) < minSidePx) breach("min_side", { size, limit: minSidePx });
  if (Math.max(width, height) > maxSidePx) breach("max_side", { size, limit: maxSidePx });
  const pixels = width * height;
  const [fewest, most] = rules.pixels ?? [0, Infinity];
  if (pixels < fewest || pixels > most)
    breach("pixels", { size, has: pixels, ...allowed(fewest, most) });
  const [narrowest, widest] = rules.aspect ?? [0, Infinity];
  if (width / height < narrowest || width / height > widest)
    breach("aspect", { size, has: figure(width / height), ...allowed(narrowest, widest) });
}

function checkLength(
  facts: Exclude<MediaFacts, { kind: "image" }>,
  rules: MediaRules,
  breach: Report,
): void {
  const [shortest, longest] = rules.seconds ?? [0, Infinity];
  const seconds = facts.durationSeconds;
  if (seconds + SECONDS_TOLERANCE < shortest || seconds - SECONDS_TOLERANCE > longest)
    breach("duration", { has: figure(seconds), ...allowed(shortest, longest) });
  if (facts.kind === "audio" || rules.framesPerSecond === undefined) return;
  const [slowest, fastest] = rules.framesPerSecond;
  const rate = facts.framesPerSecond;
  if (rate === null || rate + RATE_TOLERANCE < slowest || rate - RATE_TOLERANCE > fastest)
    breach("frame_rate", {
      ...(rate === null ? {} : { has: figure(rate) }),
      ...allowed(slowest, fastest),
    });
}

function allowed(min: number, max: number): AllowedRange {
  return {
    ...(min === 0 && max !== Infinity ? {} : { min }),
    ...(max === Infinity ? {} : { max }),
  };
}

function describeCount(min: number, max: number): string {
  if (min === max) return `exactly ${min} must be given`;
  if (max === Infinity) return `at least ${min} must be given`;
  return min === 0 ? `at most ${max} may be given` : `${min} to ${max} may be given`;
}

function figure(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Rounded up, so that what is over a limit never looks as if it were on it. */
function megabytes(bytes: number): number {
  return Math.ceil((bytes / MEGABYTE) * 100) / 100;
}

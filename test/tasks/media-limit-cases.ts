/** Files just inside and just outside of each rule about media, each with what it breaks. */
import { MEGABYTE, type MediaRules } from "../../src/media/media-rules.ts";
import type { LimitFile } from "./limit-files.ts";

/**
 * The files of one parameter, and what they break: of the first file, or where it begins with a
 * name, as `param code`.
 */
export type MediaCase = readonly [files: readonly LimitFile[], ...broken: readonly string[]];

/** Codecs pad, so lengths may pass a bound by 0.1 s; a frame of these films lasts 0.04 s. */
const WITHIN = 0.08;
const BEYOND = 0.12;

const IMAGE_TYPES = { "image/jpeg": "jpeg", "image/png": "png", "image/webp": "webp" } as const;
const FILM_TYPES = {
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/x-matroska": "mkv",
  "video/webm": "webm",
} as const;
const SOUND_TYPES = {
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/mp4": "m4a",
  "audio/aac": "aac",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
} as const;

/**
 * `param` is the parameter as mistakes name it; `tooLong`: what else a file breaks that lasts too
 * long.
 */
export function mediaCases(
  param: string,
  rules: MediaRules,
  tooLong: readonly string[],
): MediaCase[] {
  const of = { image: imageCases, video: filmCases, audio: soundCases }[rules.kind];
  const [fewest, most] = rules.count ?? [0, 1];
  const times = (count: number): LimitFile[] =>
    Array.from({ length: count }, () => plain(rules, 4));
  return [
    [[{ kind: "text" }], "kind"],
    ...of(rules, tooLong),
    ...sizes(rules),
    ...(most > 1 ? ([[times(most)], [times(most + 1), `${param} maxItems`]] as const) : []),
    ...(fewest > 1 ? ([[times(fewest)]] as const) : []),
    ...sums(param, rules),
  ];
}

/** Keeps every rule. */
function plain({ kind }: MediaRules, seconds: number, fileBytes?: number): LimitFile {
  const size = fileBytes === undefined ? {} : { fileBytes };
  if (kind === "image") return { kind: "image", ...size };
  return kind === "video"
    ? { kind: "tables", seconds, ...size }
    : { kind: "sound", seconds, ...size };
}

function sizes(rules: MediaRules): MediaCase[] {
  if (rules.maxMegabytes === undefined) return [];
  const most = rules.maxMegabytes * MEGABYTE;
  return [[[plain(rules, 5, most)]], [[plain(rules, 5, most + 1)], "size"]];
}

function sums(param: string, { kind, totalSeconds }: MediaRules): MediaCase[] {
  if (totalSeconds === undefined) return [];
  const three = (seconds: number): LimitFile[] =>
    [0, 1, 2].map((): LimitFile =>
      kind === "video" ? { kind: "tables", seconds } : { kind: "sound", type: "wav", seconds },
    );
  return [
    [three(totalSeconds / 3 + WITHIN)],
    [three(totalSeconds / 3 + BEYOND), `${param} total_duration`],
  ];
}

function types<T extends string>(
  known: Readonly<Record<string, T>>,
  { contentTypes, webpToJpeg }: MediaRules,
): readonly (readonly [T, boolean])[] {
  const taken = (type: string): boolean =>
    contentTypes === undefined ||
    (contentTypes as readonly string[]).includes(type) ||
    (webpToJpeg === true && type === "image/webp");
  return Object.entries(known).map(([type, name]) => [name, taken(type)] as const);
}

function imageCases(rules: MediaRules): MediaCase[] {
  const listed = types(IMAGE_TYPES, rules);
  const webp = listed.some(([name, taken]) => name === "webp" && taken);
  return [
    ...listed.map(([type, taken]): MediaCase => [
      [{ kind: "image", type }],
      ...(taken ? [] : ["type"]),
    ]),
    [[{ kind: "image", type: "gif" }], "unsupported"],
    [[{ kind: "film" }], ...(rules.orVideo === undefined ? ["kind"] : [])],
    [[{ kind: "sound" }], "kind"],
    ...(rules.minSidePx === undefined
      ? [[[{ kind: "image", type: webp ? "moving-webp" : "moving-png" }], "animated"] as const]
      : []),
    ...shapes(rules, (width, height) => ({ kind: "image", width, height })),
  ];
}

function filmCases(rules: MediaRules, tooLong: readonly string[]): MediaCase[] {
  return [
    ...types(FILM_TYPES, rules).map(([type, taken]): MediaCase => [
      [{ kind: "film", type }],
      ...(taken ? [] : ["type"]),
    ]),
    [[{ kind: "image" }], "kind"],
    [[{ kind: "sound", type: "m4a" }], "kind"],
    ...shapes(rules, (width, height) => ({ kind: "tables", width, height })),
    ...lengths(rules, (seconds) => ({ kind: "tables", seconds }), tooLong),
    ...rates(rules),
  ];
}

function soundCases(rules: MediaRules, tooLong: readonly string[]): MediaCase[] {
  return [
    ...types(SOUND_TYPES, rules).map(([type, taken]): MediaCase => [
      [{ kind: "sound", type }],
      ...(taken ? [] : ["type"]),
    ]),
    [[{ kind: "film" }], "kind"],
    [[{ kind: "image" }], "kind"],
    ...lengths(rules, (seconds) => ({ kind: "sound", type: "wav", seconds }), tooLong),
  ];
}

function lengths(
  { seconds, totalSeconds }: MediaRules,
  of: (seconds: number) => LimitFile,
  tooLong: readonly string[],
): MediaCase[] {
  if (seconds === undefined) return [];
  const [shortest, longest] = seconds;
  const alsoTooMuch = totalSeconds === longest ? ["total_duration"] : [];
  return [
    [[of(longest)]],
    [[of(longest + WITHIN)]],
    [[of(longest + BEYOND)], "duration", ...alsoTooMuch, ...tooLong],
    ...(shortest === 0
      ? []
      : ([
          [[of(shortest)]],
          [[of(shortest - WITHIN)]],
          [[of(shortest - BEYOND)], "duration"],
        ] as const)),
  ];
}

function rates({ framesPerSecond }: MediaRules): MediaCase[] {
  if (framesPerSecond === undefined) return [];
  const at = (rate: string): LimitFile[] => [{ kind: "film", rate, seconds: 2 }];
  const [slowest, fastest] = framesPerSecond;
  return [
    [at(`${slowest}`)],
    [at(`${slowest}000/1001`)],
    [at(`${slowest - 1}`), "frame_rate"],
    [at(`${fastest}`)],
    [at(`${fastest + 1}`), "frame_rate"],
  ];
}

/** Where the number of pixels is bounded too, a side at its limit breaks that bound alone. */
function shapes(
  { minSidePx, maxSidePx, aspect, pixels }: MediaRules,
  of: (width: number, height: number) => LimitFile,
): MediaCase[] {
  const besides = pixels === undefined ? [] : ["pixels"];
  const cases: MediaCase[] = [];
  if (minSidePx !== undefined) {
    cases.push([[of(minSidePx, minSidePx)], ...besides]);
    cases.push(
      [[of(minSidePx - 1, minSidePx)], "min_side", ...besides],
      [[of(minSidePx, minSidePx - 1)], "min_side", ...besides],
    );
  }
  if (maxSidePx !== undefined) {
    const other = Math.ceil(maxSidePx * 0.6);
    cases.push([[of(maxSidePx, other)], ...besides], [[of(other, maxSidePx)], ...besides]);
    cases.push(
      [[of(maxSidePx + 1, other)], "max_side", ...besides],
      [[of(other, maxSidePx + 1)], "max_side", ...besides],
    );
  }
  // 2:5 and 5:2 are the only ones that the tables have.
  if (aspect !== undefined) {
    cases.push(
      [[of(600, 1500)]],
      [[of(599, 1500)], "aspect"],
      [[of(1500, 600)]],
      [[of(1501, 600)], "aspect"],
    );
  }
  if (pixels !== undefined) {
    // 409,600 and 927,408.
    cases.push(
      [[of(640, 640)]],
      [[of(640, 639)], "pixels"],
      [[of(1112, 834)]],
      [[of(1112, 835)], "pixels"],
    );
  }
  return cases;
}

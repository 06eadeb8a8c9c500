/** Turns what a model makes of an input into files to make: how many, of which size and length. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../is-object.ts";
import type { OutputSpec } from "../media/output-spec.ts";
import type { MeasuredMedia } from "../media/measure-media.ts";
import type { MakesImage, MakesVideo } from "./model-field.ts";
import type { TaskDirectives } from "./task-directives.ts";

const MAX_SECONDS = 60;
const MAX_SIDE = 4096;

/**
 * `measured` is the input's media in the order of the fields. The same input gives the same files.
 */
export function planOutputs(
  makes: MakesImage | MakesVideo,
  input: JsonObject,
  measured: readonly MeasuredMedia[],
  directives: TaskDirectives,
): OutputSpec[] {
  const other = directives.result === "other-kind";
  const plan =
    makes.kind === "image"
      ? planImages(makes, input, measured)
      : planVideo(makes, input, measured, directives);
  const first = plan[0];
  if (first === undefined) return [];
  const wanted = directives.outputs;
  const list =
    wanted === null
      ? plan
      : Array.from({ length: wanted }, (_, index) => recolour(plan[index] ?? first, index));
  return other ? list.map(swapKind) : list;
}

function planImages(
  makes: MakesImage,
  input: JsonObject,
  measured: readonly MeasuredMedia[],
): OutputSpec[] {
  const { across, down } = readAspect(makes.aspect(input), measured, "1:1");
  const side = clamp(makes.side(input));
  const long = Math.max(across, down);
  const asked =
    input["output_format"] === "png" || input["output_format"] === "jpg"
      ? input["output_format"]
      : null;
  const format = asked === null ? makes.format : asked === "png" ? "png" : "jpeg";
  const size = {
    width: Math.max(1, Math.round((side * across) / long)),
    height: Math.max(1, Math.round((side * down) / long)),
  };
  const tint = tintOf(input);
  return Array.from({ length: makes.count?.(input) ?? 1 }, (_, index) => ({
    kind: "image",
    format,
    ...size,
    tint: (tint + index) % 16,
  }));
}

function planVideo(
  makes: MakesVideo,
  input: JsonObject,
  measured: readonly MeasuredMedia[],
  directives: TaskDirectives,
): OutputSpec[] {
  const { across, down } = readAspect(makes.aspect(input), measured, "16:9");
  const side = clamp(makes.side(input));
  const short = Math.min(across, down);
  const size = {
    width: even(clamp((side * across) / short)),
    height: even(clamp((side * down) / short)),
  };
  const asked = makes.seconds(input);
  // A sound counts before a film: an avatar speaks as long as its sound.
  const given =
    measured.find((one) => one.kind === "audio") ?? measured.find((one) => one.kind === "video");
  const seconds = directives.seconds ?? (asked === "input" ? (given?.seconds ?? 5) : asked);
  const tint = tintOf(input);
  const film: OutputSpec = {
    kind: "video",
    ...size,
    seconds: round(Math.min(MAX_SECONDS, Math.max(0.1, seconds))),
    sound: makes.sound(input),
    tint,
  };
  return makes.lastFrame?.(input) === true
    ? [film, { kind: "image", format: "png", ...size, tint }]
    : [film];
}

function readAspect(
  aspect: string,
  measured: readonly MeasuredMedia[],
  otherwise: string,
): { across: number; down: number } {
  const [across, down] = (/^\d+:\d+$/.test(aspect) ? aspect : otherwise).split(":").map(Number);
  const picture = /^\d+:\d+$/.test(aspect)
    ? undefined
    : measured.find((one) => one.width > 0 && one.height > 0);
  if (picture !== undefined) return { across: picture.width, down: picture.height };
  return { across: across || 1, down: down || 1 };
}

function swapKind(spec: OutputSpec): OutputSpec {
  const size = {
    width: even(Math.min(spec.width, 640)),
    height: even(Math.min(spec.height, 640)),
    tint: spec.tint,
  };
  return spec.kind === "image"
    ? { kind: "video", ...size, seconds: 1, sound: false }
    : { kind: "image", format: "png", ...size };
}

const recolour = (spec: OutputSpec, index: number): OutputSpec => ({
  ...spec,
  tint: (spec.tint + index) % 16,
});
const clamp = (side: number): number => Math.min(MAX_SIDE, Math.max(16, Math.round(side)));
const even = (side: number): number => Math.max(16, 2 * Math.round(side / 2));
const round = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** 0 to 15, by the text of the prompt. */
function tintOf(input: JsonObject): number {
  return (createHash("sha256").update(String(input["prompt"])).digest()[0] ?? 0) % 16;
}

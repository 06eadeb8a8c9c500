/**
 * What one provider allows less of than a task's table: limits of a route. A route whose limits a
 * task breaks does not serve it.
 */
import type { MediaDeclaration } from "./media-declaration.ts";
import { SECONDS_TOLERANCE, shownSeconds } from "./measured-seconds.ts";
import { valueMistake } from "./say-mistake.ts";
import type { TaskMistake } from "./task-mistake.ts";
import type { TaskParameters } from "./task-table.ts";

/** Of one file, and of all files of a parameter together. */
export type FileLimits = Omit<MediaDeclaration, "kind" | "webpToJpeg" | "orVideo">;

/** Bounds are inclusive; which of them a parameter can have depends on its kind. */
export interface ParameterLimits {
  /** Of a text, in characters. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Of a number. */
  readonly min?: number;
  readonly max?: number;
  /** Of a choice: those that are left of it. */
  readonly values?: readonly string[];
  /** Of a list. */
  readonly minCount?: number;
  readonly maxCount?: number;
  readonly files?: FileLimits;
}

export interface RouteLimits {
  readonly parameters: ReadonlyMap<string, ParameterLimits>;
  /** In each, at most one of its groups may be given. */
  readonly exclusive: readonly (readonly (readonly string[])[])[];
  /** What a parameter needs beside it: at least one of these. */
  readonly needs: ReadonlyMap<string, readonly string[]>;
}

/**
 * What the parameters alone break; files are held against `files` where they are measured. Empty:
 * this route may serve them.
 */
export function checkRouteLimits(limits: RouteLimits, parameters: TaskParameters): TaskMistake[] {
  return [
    ...[...limits.parameters].flatMap(([param, bounds]) =>
      checkBounds(param, bounds, parameters[param]),
    ),
    ...limits.exclusive.flatMap((groups) => checkExclusive(groups, parameters)),
    ...[...limits.needs].flatMap(([param, others]) => checkNeeds(param, others, parameters)),
  ];
}

/** `seconds`: of all measured files of the parameter. */
export function checkTotalSeconds(
  param: string,
  { totalSeconds = Infinity }: FileLimits,
  seconds: readonly number[],
): TaskMistake[] {
  const total = seconds.reduce((sum, one) => sum + one, 0);
  if (total <= totalSeconds + SECONDS_TOLERANCE * seconds.length) return [];
  return [
    valueMistake(param, "total_duration", { seconds: shownSeconds(total), limit: totalSeconds }),
  ];
}

function checkBounds(param: string, bounds: ParameterLimits, value: unknown): TaskMistake[] {
  if (typeof value === "string") {
    const { minLength = 0, maxLength = Infinity, values = [value] } = bounds;
    const has = [...value].length;
    if (has < minLength) return [valueMistake(param, "minLength", { limit: minLength })];
    if (has > maxLength) return [valueMistake(param, "maxLength", { limit: maxLength, has })];
    return values.includes(value) ? [] : [valueMistake(param, "enum", { values })];
  }
  if (typeof value === "number") {
    const { min = -Infinity, max = Infinity } = bounds;
    if (value < min) return [valueMistake(param, "minimum", { limit: min })];
    return value > max ? [valueMistake(param, "maximum", { limit: max })] : [];
  }
  if (!Array.isArray(value)) return [];
  const { minCount = 0, maxCount = Infinity } = bounds;
  const [how, has] = ["bounded", value.length] as const;
  if (has < minCount) return [valueMistake(param, "minItems", { how, limit: minCount, has })];
  return has > maxCount ? [valueMistake(param, "maxItems", { how, limit: maxCount, has })] : [];
}

/** A flag that is off, an empty list and an empty text are not given. */
function isGiven(value: unknown): boolean {
  return (
    value !== undefined &&
    value !== false &&
    value !== "" &&
    !(Array.isArray(value) && value.length === 0)
  );
}

function checkExclusive(
  groups: readonly (readonly string[])[],
  parameters: TaskParameters,
): TaskMistake[] {
  const given = groups
    .map((group) => group.filter((name) => isGiven(parameters[name])))
    .filter((names) => names.length > 0);
  const [first = [], second] = given;
  if (second === undefined) return [];
  const [param = ""] = second;
  return [valueMistake(param, "exclusive", { others: first })];
}

function checkNeeds(
  param: string,
  others: readonly string[],
  parameters: TaskParameters,
): TaskMistake[] {
  if (!isGiven(parameters[param]) || others.some((name) => isGiven(parameters[name]))) return [];
  return [valueMistake(param, "needs", { others })];
}

/** What one provider allows less of than a task's table: limits of a route. A route whose limits a task breaks does not serve it. */
import type { MediaDeclaration } from "./media-declaration.ts";
import { SECONDS_TOLERANCE, shownSeconds } from "./measured-seconds.ts";
import type { TaskMistake, TaskParameters } from "./task-table.ts";

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

/** What the parameters alone break; files are held against `files` where they are measured. Empty: this route may serve them. */
export function checkRouteLimits(limits: RouteLimits, parameters: TaskParameters): TaskMistake[] {
  return [
    ...[...limits.parameters].flatMap(([param, bounds]) => checkBounds(param, bounds, parameters[param])),
    ...limits.exclusive.flatMap((groups) => checkExclusive(groups, parameters)),
    ...[...limits.needs].flatMap(([param, others]) => checkNeeds(param, others, parameters)),
  ];
}

/** `seconds`: of all measured files of the parameter. */
export function checkTotalSeconds(param: string, { totalSeconds = Infinity }: FileLimits, seconds: readonly number[]): TaskMistake[] {
  const total = seconds.reduce((sum, one) => sum + one, 0);
  if (total <= totalSeconds + SECONDS_TOLERANCE * seconds.length) return [];
  const message = `'${param}' last ${shownSeconds(total)} seconds together; at most ${totalSeconds} are allowed.`;
  return [{ param, code: "total_duration", message }];
}

function checkBounds(param: string, bounds: ParameterLimits, value: unknown): TaskMistake[] {
  const mistake = (code: string, must: string): TaskMistake[] => [{ param, code, message: `'${param}' ${must}.` }];
  if (typeof value === "string") {
    const { minLength = 0, maxLength = Infinity, values = [value] } = bounds;
    const length = [...value].length;
    if (length < minLength) return mistake("minLength", `must have at least ${minLength} characters`);
    if (length > maxLength) return mistake("maxLength", `must have at most ${maxLength} characters; it has ${length}`);
    return values.includes(value) ? [] : mistake("enum", `must be one of ${values.map((one) => JSON.stringify(one)).join(", ")}`);
  }
  if (typeof value === "number") {
    const { min = -Infinity, max = Infinity } = bounds;
    if (value < min) return mistake("minimum", `must be at least ${min}`);
    return value > max ? mistake("maximum", `must be at most ${max}`) : [];
  }
  if (!Array.isArray(value)) return [];
  const { minCount = 0, maxCount = Infinity } = bounds;
  if (value.length < minCount) return mistake("minItems", `must have at least ${minCount}; it has ${value.length}`);
  return value.length > maxCount ? mistake("maxItems", `must have at most ${maxCount}; it has ${value.length}`) : [];
}

/** A flag that is off, an empty list and an empty text are not given. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function checkExclusive(groups: readonly (readonly string[])[], parameters: TaskParameters): TaskMistake[] {
  const given = groups.map((group) => group.filter((name) => isGiven(parameters[name]))).filter((names) => names.length > 0);
  const [first = [], second] = given;
  if (second === undefined) return [];
  const [param = ""] = second;
  const message = `'${param}' cannot be given together with ${first.map((name) => `'${name}'`).join(" and ")}.`;
  return [{ param, code: "combination", message }];
}

function checkNeeds(param: string, others: readonly string[], parameters: TaskParameters): TaskMistake[] {
  if (!isGiven(parameters[param]) || others.some((name) => isGiven(parameters[name]))) return [];
  const message = `'${param}' needs ${others.map((name) => `'${name}'`).join(" or ")} beside it.`;
  return [{ param, code: "combination", message }];
}

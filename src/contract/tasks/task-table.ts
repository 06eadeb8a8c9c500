/**
 * One parameter table of the specification (contract §7), as data: from it bodies are read, prices
 * are checked, OpenAPI and forms are made.
 */
import type { WordedMistake, TaskMistake } from "./task-mistake.ts";
import type { TaskParameter, Words } from "./task-parameter.ts";

export type TaskTableId =
  | "T1"
  | "T2"
  | "T3"
  | "T4"
  | "T5"
  | "T6"
  | "T7"
  | "T8"
  | "T9"
  | "T10"
  | "T11"
  | "T12"
  | "T13"
  | "T14"
  | "T15"
  | "T16"
  | "T17"
  | "T18"
  | "T19";

/** As read: every value valid by itself, defaults filled in, absent ones not there. */
export type TaskParameters = Readonly<Record<string, unknown>>;

export interface TaskTable {
  readonly id: TaskTableId;
  readonly title: Words;
  readonly summary: Words;
  readonly makes: "image" | "video";
  /** In the order of the specification. */
  readonly parameters: Readonly<Record<string, TaskParameter>>;
  readonly rules: readonly TaskRule[];
  /** Rules that need to know how long the given files really are. */
  readonly measuredRules?: readonly MeasuredRule[];
  /**
   * Defaults that depend on other parameters, and values that stand for another one. `given`: what
   * the body itself says.
   */
  complete?(parameters: TaskParameters, given: ReadonlySet<string>): TaskParameters;
  /**
   * Defaults that depend on what given files are; `given`: whether the body itself says it. Files
   * that are not measured yet say nothing.
   */
  completeMeasured?(
    parameters: TaskParameters,
    given: (name: string) => boolean,
    secondsOf: SecondsOf,
  ): TaskParameters;
  /** The parameters as providers take them, when all files are measured. */
  arrange?(parameters: TaskParameters, secondsOf: SecondsOf): TaskParameters;
  /** Bodies that are valid as they stand, but for their placeholder addresses. */
  readonly examples: { readonly minimal: TaskParameters; readonly full: TaskParameters };
}

/** What parameters must keep together. */
export interface TaskRule {
  /**
   * The first one is named as the one at fault. The rule is asked only when each of them is valid
   * or absent.
   */
  readonly params: readonly string[];
  /** What is expected. */
  readonly says: WordedMistake;
  breaks(parameters: TaskParameters): boolean;
}

/**
 * `secondsOf("videoUrls[0]")`: as measured; null when that file is not measured, or is an image.
 */
export type SecondsOf = (field: string) => number | null;

export interface MeasuredRule {
  /** For documentation. */
  readonly says: WordedMistake;
  /** Null: nothing is wrong. The code is `duration` where it names none. */
  check(parameters: TaskParameters, secondsOf: SecondsOf): BrokenRule | null;
}

export type BrokenRule = Omit<TaskMistake, "code"> & { readonly code?: string };

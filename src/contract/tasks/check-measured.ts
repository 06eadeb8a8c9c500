/**
 * Holds what was measured of a task's media against the rules that need several files or other
 * parameters: sums, windows, declared lengths.
 */
import type { MediaReference } from "./list-media.ts";
import { SECONDS_TOLERANCE, shownSeconds } from "./measured-seconds.ts";
import { valueMistake } from "./say-mistake.ts";
import type { TaskMistake } from "./task-mistake.ts";
import type { SecondsOf, TaskParameters, TaskTable } from "./task-table.ts";

export interface MeasuredMedia {
  readonly reference: Pick<MediaReference, "param" | "field" | "media">;
  /** Null: it has no length, as images have none. */
  readonly seconds: number | null;
}

/**
 * Files that are not measured yet may be left out: what they would break shows when all are there.
 * The rules of single files (type, size, pixels, length) are not asked again. Lengths may pass a
 * bound by 0.1 s for each file.
 */
export function checkMeasured(
  table: TaskTable,
  parameters: TaskParameters,
  measured: readonly MeasuredMedia[],
): TaskMistake[] {
  const secondsOf = secondsAmong(measured);
  const mistakes = checkSums(measured);
  for (const rule of table.measuredRules ?? []) {
    const mistake = rule.check(parameters, secondsOf);
    if (mistake !== null) mistakes.push({ code: "duration", ...mistake });
  }
  return mistakes;
}

/** Of each file by its field. */
export function secondsAmong(
  measured: readonly {
    readonly reference: { readonly field: string };
    readonly seconds: number | null;
  }[],
): SecondsOf {
  const seconds = new Map(measured.map((file) => [file.reference.field, file.seconds]));
  return (field) => seconds.get(field) ?? null;
}

function checkSums(measured: readonly MeasuredMedia[]): TaskMistake[] {
  const mistakes: TaskMistake[] = [];
  for (const [param, files] of Map.groupBy(measured, (file) => file.reference.param)) {
    const most = files[0]?.reference.media.totalSeconds ?? Infinity;
    const total = files.reduce((sum, file) => sum + (file.seconds ?? 0), 0);
    if (total <= most + SECONDS_TOLERANCE * files.length) continue;
    mistakes.push(
      valueMistake(param, "total_duration", { seconds: shownSeconds(total), limit: most }),
    );
  }
  return mistakes;
}

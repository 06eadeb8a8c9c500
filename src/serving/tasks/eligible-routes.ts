/**
 * Which routes of a model may serve a task: those whose limits neither its parameters nor its
 * measured files break.
 */
import type { TaskRoute } from "../../catalogue/catalogue.ts";
import type { MediaReference } from "../../contract/tasks/list-media.ts";
import {
  checkRouteLimits,
  checkTotalSeconds,
  type RouteLimits,
} from "../../contract/tasks/route-limits.ts";
import type { TaskMistake } from "../../contract/tasks/task-mistake.ts";
import type { TaskParameters } from "../../contract/tasks/task-table.ts";
import { checkMedia } from "../../media/check-media.ts";
import type { MediaFacts } from "../../media/media-facts.ts";
import { mistakeOfFile } from "../files/judge-media.ts";

export interface MeasuredInput {
  readonly reference: Pick<MediaReference, "param" | "field" | "media">;
  readonly facts: MediaFacts;
  readonly bytes: number;
}

export type Eligibility =
  | { readonly kind: "eligible"; readonly routes: readonly TaskRoute[] }
  /** What the route that comes nearest to it refuses. */
  | { readonly kind: "none"; readonly mistakes: readonly TaskMistake[] };

/** Files that are not measured yet may be left out: what they break shows when they are. */
export function eligibleRoutes(
  routes: readonly TaskRoute[],
  parameters: TaskParameters,
  files: readonly MeasuredInput[],
): Eligibility {
  const judged = routes.map((route) => ({
    route,
    mistakes: route.limits === undefined ? [] : breaksOf(route.limits, parameters, files),
  }));
  const eligible = judged.filter(({ mistakes }) => mistakes.length === 0).map(({ route }) => route);
  if (eligible.length > 0) return { kind: "eligible", routes: eligible };
  const [nearest] = judged.toSorted((one, other) => one.mistakes.length - other.mistakes.length);
  return { kind: "none", mistakes: nearest?.mistakes ?? [] };
}

function breaksOf(
  limits: RouteLimits,
  parameters: TaskParameters,
  files: readonly MeasuredInput[],
): TaskMistake[] {
  const ofFiles = [...Map.groupBy(files, ({ reference }) => reference.param)].flatMap(
    ([param, inputs]) => {
      const bounds = limits.parameters.get(param)?.files;
      // Of a video that stands among images nothing is said here.
      const own = inputs.filter(({ facts, reference }) => facts.kind === reference.media.kind);
      if (bounds === undefined) return [];
      const seconds = own.map(({ facts }) => (facts.kind === "image" ? 0 : facts.durationSeconds));
      return [
        ...own.flatMap((input) => breaksOfFile(input, bounds)),
        ...checkTotalSeconds(param, bounds, seconds),
      ];
    },
  );
  return [...checkRouteLimits(limits, parameters), ...ofFiles];
}

function breaksOfFile(
  { reference: { field }, facts, bytes }: MeasuredInput,
  bounds: Parameters<typeof checkTotalSeconds>[1],
): TaskMistake[] {
  const breaches = checkMedia({ facts, bytes }, { ...bounds, kind: facts.kind });
  return breaches.map((breach) => mistakeOfFile(field, breach));
}

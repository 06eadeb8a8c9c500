/**
 * What a provider is given of a task: its parameters with the files of ours in place of the
 * customer's URLs, arranged as providers take them.
 */
import { fieldOf, listMedia, replaceMedia } from "../../contract/tasks/list-media.ts";
import type { TaskParameters, TaskTable } from "../../contract/tasks/task-table.ts";
import type { MediaFacts } from "../../media/media-facts.ts";
import type { MediaStandIn, TaskRecord } from "../../tasks/task-record.ts";
import type { MeasuredInput } from "./eligible-routes.ts";

/** `staticUrl` has no slash at its end. */
export function submittedParameters(
  table: TaskTable,
  record: Pick<TaskRecord, "parameters" | "media">,
  staticUrl: string,
): TaskParameters {
  const media = record.media ?? [];
  const replaced = replaceMedia(
    record.parameters,
    media.map(({ path, name }) => ({ path, url: `${staticUrl}/${name}` })),
  );
  const seconds = new Map(
    media.map((standIn) => [fieldOf(standIn.path), secondsOf(factsOf(standIn))]),
  );
  return table.arrange?.(replaced, (field) => seconds.get(field) ?? null) ?? replaced;
}

/** Those of its files whose measures were kept; those of tasks of earlier versions were not. */
export function measuredInputs(
  table: TaskTable,
  record: Pick<TaskRecord, "parameters" | "media">,
): MeasuredInput[] {
  const kept = new Map(record.media?.map((standIn) => [fieldOf(standIn.path), standIn]));
  return listMedia(table, record.parameters).flatMap((reference) => {
    const standIn = kept.get(reference.field);
    const facts = standIn === undefined ? null : factsOf(standIn);
    return facts === null ? [] : [{ reference, facts, bytes: standIn?.bytes ?? 0 }];
  });
}

/** Written by `ingest-media.ts`. */
function factsOf({ facts }: MediaStandIn): MediaFacts | null {
  return (facts as MediaFacts | undefined) ?? null;
}

function secondsOf(facts: MediaFacts | null): number | null {
  return facts === null || facts.kind === "image" ? null : facts.durationSeconds;
}

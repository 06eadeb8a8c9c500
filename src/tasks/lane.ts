/**
 * Names the lanes of work: steps that share a bound, so that a slow account, model or upstream
 * holds up only its own.
 */
import type { Uuid } from "../kernel/ids.ts";
import type { TaskPhase } from "./task-record.ts";

export type LaneKind = "ingest" | "submit" | "poll" | "collect";

/**
 * Media are taken for each account apart, submissions made for each model, polls and copies for
 * each upstream.
 */
export function laneOf(
  phase: TaskPhase,
  task: { readonly accountId: Uuid; readonly model: string; readonly upstream: string | null },
): string {
  switch (phase) {
    case "held":
      return `ingest:${task.accountId}`;
    case "ready":
    case "submitting":
    case "submit_unknown":
      return `submit:${task.model}`;
    case "running":
    case "watching":
      return `poll:${task.upstream}`;
    case "collecting":
      return `collect:${task.upstream}`;
  }
}

export function kindOfLane(lane: string): LaneKind {
  return lane.slice(0, lane.indexOf(":")) as LaneKind;
}

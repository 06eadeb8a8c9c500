/**
 * The tries to have a task made, out of what happened to it: when, and how they ended. Where, and
 * in whose words, is not for its owner.
 */
import type { PanelTask } from "../../../contract/panel/panel-task.ts";
import type { TaskEventKind } from "../../../contract/enums/task-event.ts";
import type { TaskEvent } from "../../../tasks/task-record.ts";

type TaskAttempt = PanelTask["attempts"][number];

/** `failed` ends a try that was refused outright, in no event of its own. */
const OUTCOMES: Partial<Record<TaskEventKind, TaskAttempt["outcome"]>> = {
  started: "taken",
  not_taken: "not_taken",
  submit_unknown: "unknown",
  failed: "not_taken",
};

/** `events`: in order; of kinds that tell of no try are passed over. */
export function taskAttempts(events: readonly TaskEvent[]): TaskAttempt[] {
  const attempts: TaskAttempt[] = [];
  for (const { kind, at } of events) {
    if (kind === "submitting") {
      attempts.push({
        number: attempts.length + 1,
        startedAt: at.toISOString(),
        endedAt: null,
        outcome: "sending",
      });
      continue;
    }
    const last = attempts.at(-1);
    const outcome = OUTCOMES[kind];
    if (last === undefined || outcome === undefined) continue;
    // An unknown outcome may be found out later; nothing else changes any more.
    if (last.outcome === "sending" || (last.outcome === "unknown" && kind === "started")) {
      attempts[attempts.length - 1] = { ...last, outcome, endedAt: at.toISOString() };
    }
  }
  return attempts;
}

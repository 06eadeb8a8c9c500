/**
 * Tells the log and the metrics of the work on tasks that no request waits for: its steps, its
 * webhooks, what is still to do, and what an operator has to look at.
 */
import type { TaskAlert } from "../serving/tasks/advance-deps.ts";
import type { TaskCounts } from "../tasks/counts.store.ts";
import { countBy } from "./count-by.ts";
import type { Metrics } from "./metrics.ts";
import type { RequestLogger } from "./request-log.ts";
import { roublesForGraphs } from "./roubles-for-graphs.ts";

export interface TaskWorkReports {
  onStep(ended: { readonly step: string; readonly outcome: string }): void;
  onWebhookTried(outcome: string): void;
  /** Money or a provider's account hangs on each of them. */
  onAlert(alert: TaskAlert): void;
  onWords(reported: object): void;
  /** Shows what is under way here, and what all processes have to do. */
  watch(figures: { active(): Readonly<Record<string, number>>; counts(): TaskCounts }): void;
}

export function reportTaskWork({
  log,
  metrics,
}: {
  readonly log: Pick<RequestLogger, "info" | "error">;
  readonly metrics: Pick<Metrics, "watch" | "suspicious">;
}): TaskWorkReports {
  const steps = countBy(metrics, {
    name: "task_steps",
    help: "Steps of tasks that have ended, by kind (ingest, submit, poll, collect) and outcome.",
    label: "outcome",
  });
  return {
    onStep: ({ step, outcome }) => steps(`${step} ${outcome}`),
    onWebhookTried: countBy(metrics, {
      name: "task_webhooks",
      help: "Tries to deliver webhooks, by outcome.",
      label: "outcome",
    }),
    onAlert(alert) {
      metrics.suspicious(`task_${alert.kind}`);
      log.error(alert, "a task needs to be looked at: tollgate tasks show");
    },
    onWords: (reported) => log.info(reported, "a provider of tasks said"),
    watch: (figures) => watchTasks(metrics, figures),
  };
}

function watchTasks(
  metrics: Pick<Metrics, "watch">,
  { active, counts }: Parameters<TaskWorkReports["watch"]>[0],
): void {
  metrics.watch({
    name: "task_steps_active",
    help: "Steps of tasks under way now, by kind.",
    label: "step",
    read: () => new Map(Object.entries(active())),
  });
  // Every process that works counts all of them.
  const together = "max";
  metrics.watch({
    name: "tasks",
    help: "Tasks that have not ended, by state.",
    label: "state",
    together,
    read: () => counts().byState,
  });
  metrics.watch({
    name: "task_steps_due",
    help: "Tasks with a next step, by phase.",
    label: "phase",
    together,
    read: () => counts().byPhase,
  });
  metrics.watch({
    name: "tasks_held_roubles",
    help: "Held for tasks that have not ended.",
    together,
    read: () => roublesForGraphs(counts().heldNano),
  });
  metrics.watch({
    name: "task_webhooks_pending",
    help: "Webhooks that wait for a try.",
    together,
    read: () => counts().webhooks,
  });
}

/** The figures of tasks that have ended: how many, and the roubles of their holds. */
import type { Registry } from "prom-client";
import type { Nano } from "../kernel/money.ts";
import { createBound, createIndex, createOnce } from "./label-values.ts";
import { roublesForGraphs } from "./roubles-for-graphs.ts";
import { createCounts } from "./series.ts";

export interface TaskEnded {
  readonly model: string;
  /** `completed`, or why it failed: a word of the closed list. */
  readonly outcome: string;
  /** Of its hold. */
  readonly chargedNano: Nano;
  readonly releasedNano: Nano;
}

export function countTaskEnds(registry: Registry): (ended: TaskEnded) => void {
  const ends = createCounts(registry, {
    name: "tollgate_tasks_ended_total",
    help: "Tasks that have ended, by outcome.",
  });
  const charged = createCounts(registry, {
    name: "tollgate_task_charged_roubles_total",
    help: "Taken from accounts for tasks, by outcome.",
  });
  const released = createCounts(registry, {
    name: "tollgate_task_released_roubles_total",
    help: "Held for tasks and given back at their end, by outcome.",
  });
  const bound = createBound();
  const modelOf = createIndex((model) =>
    createIndex((outcome: string) => ({
      ends: ends({ model, outcome }),
      charged: createOnce(() => charged({ model, outcome })),
      released: createOnce(() => released({ model, outcome })),
    })),
  );

  return ({ model, outcome, chargedNano, releasedNano }) => {
    const series = modelOf(bound(model))(outcome);
    series.ends.add(1);
    if (chargedNano > 0n) series.charged().add(roublesForGraphs(chargedNano));
    if (releasedNano > 0n) series.released().add(roublesForGraphs(releasedNano));
  };
}

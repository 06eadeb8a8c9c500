/**
 * Finds whom to ask about a task that was submitted: its upstream as the catalogue has it now, with
 * the credential of its submission.
 */
import type { UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { LeasedTask } from "../../tasks/jobs.store.ts";
import type { TaskAdapter, TaskHandle, TaskTarget } from "../../upstreams/tasks/task-adapter.ts";
import type { TaskEngineDeps } from "./advance-deps.ts";

export interface Counterpart {
  readonly adapter: TaskAdapter;
  readonly upstream: UpstreamConfig;
  readonly target: TaskTarget;
  readonly credentialName: string;
}

type TargetDeps = Pick<TaskEngineDeps, "adapters" | "catalogue" | "credential">;

/** A text says why there is none at the moment: something for an operator to mend. */
export function counterpartOf(deps: TargetDeps, task: LeasedTask): Counterpart | string {
  const { upstream: name, upstreamModel, credentialName, parameterTable: table } = task;
  if (name === null || upstreamModel === null || credentialName === null)
    return "the task was never submitted";
  const upstream = deps.catalogue.current().catalogue.upstreams.get(name);
  const adapter = upstream === undefined ? null : adapterOf(deps, upstream);
  if (upstream === undefined || adapter === null)
    return `the catalogue has no upstream ${name} for tasks any more`;
  const credential = deps.credential(credentialName);
  if (credential === undefined) return `the credential ${credentialName} is not set`;
  const target = { upstream, credential, model: upstreamModel, table };
  return { adapter, upstream, target, credentialName };
}

export function adapterOf(
  deps: Pick<TaskEngineDeps, "adapters">,
  { protocol }: Pick<UpstreamConfig, "protocol">,
): TaskAdapter | null {
  return (
    (deps.adapters as Partial<Record<UpstreamConfig["protocol"], TaskAdapter>>)[protocol] ?? null
  );
}

/**
 * As the adapter gave it; or what a callback and the row tell, where the submission's own answer
 * never came.
 */
export function handleOf(task: LeasedTask, now: Date): TaskHandle | null {
  if (task.handle !== null) return task.handle as TaskHandle;
  if (task.heardId === null || task.upstreamModel === null) return null;
  const submittedAt = new Date(now.getTime() - task.phaseMs).toISOString();
  return { upstreamTaskId: task.heardId, model: task.upstreamModel, submittedAt, urls: {} };
}

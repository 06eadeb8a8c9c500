/**
 * Finds whom to ask about a task that was submitted: its upstream as the catalogue has it now, with
 * the credential of its submission.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
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

/** A reason: there is none at the moment, which is for an operator to mend. */
export function counterpartOf(deps: TargetDeps, task: LeasedTask): Counterpart | WordedReason {
  const { upstream: name, upstreamModel, credentialName, parameterTable: table } = task;
  if (name === null || upstreamModel === null || credentialName === null)
    return sayReason("never_submitted");
  const upstream = deps.catalogue.current().catalogue.upstreams.get(name);
  const adapter = upstream === undefined ? null : adapterOf(deps, upstream);
  if (upstream === undefined || adapter === null)
    return sayReason("upstream_gone", { upstream: name });
  const credential = deps.credential(credentialName);
  if (credential === undefined) return sayReason("credential_not_set", { name: credentialName });
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

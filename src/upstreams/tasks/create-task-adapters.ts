/** The adapters of all protocols that providers of tasks speak. */
import {
  isTaskProtocol,
  type TaskProtocol,
  type UpstreamProtocol,
} from "../../contract/enums/upstream-protocol.ts";
import { falProvider } from "./fal-provider.ts";
import { kieProvider } from "./kie-provider.ts";
import { createProviderAdapter } from "./provider-adapter.ts";
import { replicateProvider } from "./replicate-provider.ts";
import type { ProviderCalls } from "./submit-task.ts";
import type { TaskAdapter } from "./task-adapter.ts";
import type { TaskProvider } from "../../protocol/task-provider.ts";

export type TaskAdapters = Readonly<Record<TaskProtocol, TaskAdapter>>;

const BUILT_IN: Readonly<Record<Exclude<TaskProtocol, "http-task">, TaskProvider>> = {
  kie: kieProvider,
  fal: falProvider,
  replicate: replicateProvider,
};

/** How the API of an upstream for tasks is called; null for one of another kind. */
export function providerOf({
  protocol,
  task,
}: {
  readonly protocol: UpstreamProtocol;
  readonly task?: TaskProvider;
}): TaskProvider | null {
  if (!isTaskProtocol(protocol)) return null;
  return protocol === "http-task" ? (task ?? null) : BUILT_IN[protocol];
}

export function createTaskAdapters(calls: ProviderCalls): TaskAdapters {
  return {
    kie: adapterOf(calls, kieProvider),
    fal: adapterOf(calls, falProvider),
    replicate: adapterOf(calls, replicateProvider),
    // What each upstream can do is known with the upstream only.
    "http-task": createProviderAdapter(calls, (upstream) => upstream?.task ?? null),
  };
}

/** Has no method that the provider has no call for. */
function adapterOf(calls: ProviderCalls, provider: TaskProvider): TaskAdapter {
  const { lookUp, cancel, ...adapter } = createProviderAdapter(
    calls,
    () => provider,
    provider.schedule,
  );
  return {
    ...adapter,
    ...(provider.lookUp === null ? {} : { lookUp }),
    ...(provider.cancel === null ? {} : { cancel }),
  };
}

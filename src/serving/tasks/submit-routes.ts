/**
 * The routes of a task model, made ready to be asked: each with its upstream, its adapter and the
 * credentials that are set now.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { TaskRoute } from "../../catalogue/catalogue.ts";
import type { TaskAdapter } from "../../upstreams/tasks/task-adapter.ts";
import { readyRoute, type ReadyRoute } from "../routing/route-selection.ts";
import type { EngineParts } from "./advance-deps.ts";
import { adapterOf } from "./advance-target.ts";
import type { SubmitWaits } from "./submit-waits.ts";

export interface ReadyTaskRoute extends ReadyRoute {
  readonly route: TaskRoute;
  readonly adapter: TaskAdapter;
}

/** None for a route whose upstream takes no tasks, which is for an operator to mend. */
export function readyTaskRoutes(
  parts: Pick<EngineParts, "adapters" | "catalogue" | "credential">,
  routes: readonly TaskRoute[],
  waits: Pick<SubmitWaits, "complain">,
): readonly ReadyTaskRoute[] {
  const { upstreams } = parts.catalogue.current().catalogue;
  return routes.flatMap((route) => {
    const upstream = upstreams.get(route.upstream);
    const adapter = upstream === undefined ? null : adapterOf(parts, upstream);
    if (upstream !== undefined && adapter !== null)
      return [{ ...readyRoute(route, upstream, (name) => parts.credential(name)), adapter }];
    waits.complain(route.upstream, sayReason("takes_no_tasks"));
    return [];
  });
}

/**
 * Asks one route after the other until one answers. Each has its place at the upstream, and what
 * became of its call is told to the circuit breakers; who asks, and for what, is not known here.
 */
import type { Route } from "../../catalogue/catalogue.ts";
import {
  createRouteSelection,
  type ReadyRoute,
  type RouteSelection,
  type RouteSelectionDeps,
  type RouteTry,
} from "./route-selection.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";

/** An answer ends the search; the others let the next route be asked. */
export type CallResult<Answer extends { readonly kind: "answered" }> = Answer | UpstreamFailure;

/** One request or task that wants an answer of some route. */
export interface RouteCalls<
  Ready extends ReadyRoute,
  Answer extends { readonly kind: "answered" },
  End = Answer,
> {
  /**
   * The answer is not wanted any more, or may not be waited for: no other route is asked, and what
   * breaks then is no mark against its route.
   */
  readonly aborted: boolean;
  /** A route is passed over without a call. */
  onSkipped(route: Route, reason: string): void;
  /**
   * Calls this route. Its place is given back here unless it answers; then it is the caller's to
   * release. What is thrown is no mark against the route.
   */
  call(current: RouteTry<Ready>): Promise<CallResult<Answer>>;
  /** No route answered: what comes of it instead, or the fault that is thrown. */
  exhausted(selection: RouteSelection<Ready>): End | Promise<End>;
}

export async function tryRoutes<
  Ready extends ReadyRoute,
  Answer extends { readonly kind: "answered" },
  End = Answer,
>(
  deps: RouteSelectionDeps,
  routes: readonly Ready[],
  calls: RouteCalls<Ready, Answer, End>,
): Promise<Answer | End> {
  const selection = createRouteSelection(deps, routes, (route, reason) =>
    calls.onSkipped(route, reason),
  );
  while (!calls.aborted) {
    const current = selection.next();
    if (current === null) break;
    let result: CallResult<Answer>;
    try {
      result = await calls.call(current);
    } catch (error) {
      current.release();
      current.abandoned();
      throw error;
    }
    if (result.kind === "answered") {
      current.succeeded();
      return result;
    }
    current.release();
    if (calls.aborted) current.abandoned();
    else current.failed(result);
  }
  return calls.exhausted(selection);
}

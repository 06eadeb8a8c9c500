/**
 * Asks one route after the other until one answers. Each has its place at the upstream, and what
 * became of its call is told to the circuit breakers; who asks, and for what, is not known here.
 */
import {
  createRouteSelection,
  type ReadyRoute,
  type RouteSelection,
  type RouteSelectionDeps,
  type RouteTry,
  type SkipListener,
} from "./route-selection.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";

/** An answer or an end ends the search; the others let the next route be asked. */
export type CallResult<Answer extends { readonly kind: "answered" }, End = never> =
  | Answer
  /**
   * No other route may be asked, although this one gave no answer. `failure` is the mark against it;
   * null: what came in between says nothing of it.
   */
  | { readonly kind: "ended"; readonly end: End; readonly failure: UpstreamFailure | null }
  /** It was not called: it is not its turn. */
  | { readonly kind: "passed-over" }
  | UpstreamFailure;

/** One request or task that wants an answer of some route. */
export interface RouteCalls<
  Ready extends ReadyRoute,
  Answer extends { readonly kind: "answered" },
  End = Answer,
> extends SkipListener {
  /**
   * The answer is not wanted any more, or may not be waited for: no other route is asked, and what
   * breaks then is no mark against its route.
   */
  readonly aborted: boolean;
  /**
   * Calls this route. Its place is given back here unless it answers; then it is the caller's to
   * release. What is thrown is no mark against the route.
   */
  call(current: RouteTry<Ready>): CallResult<Answer, End> | Promise<CallResult<Answer, End>>;
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
  const selection = createRouteSelection(deps, routes, calls);
  while (!calls.aborted) {
    const current = selection.next();
    if (current === null) break;
    let result: CallResult<Answer, End>;
    try {
      const calling = calls.call(current);
      result = calling instanceof Promise ? await calling : calling;
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
    tell(current, result, calls.aborted);
    if (result.kind === "ended") return result.end;
  }
  return calls.exhausted(selection);
}

/** What of it is a mark against the route. */
function tell(
  current: Pick<RouteTry, "abandoned" | "failed" | "passedOver">,
  result: CallResult<never, unknown>,
  aborted: boolean,
): void {
  if (result.kind === "passed-over") return current.passedOver();
  const failure = result.kind === "ended" ? result.failure : result;
  if (aborted || failure === null) current.abandoned();
  else current.failed(failure);
}

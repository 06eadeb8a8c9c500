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
  call(
    current: RouteTry<Ready>,
  ): CallResult<Answer, End> | Promise<CallResult<Answer, End>> | Pending<CallResult<Answer, End>>;
  /** No route answered: what comes of it instead, or the fault that is thrown. */
  exhausted(selection: RouteSelection<Ready>): End | Promise<End>;
}

/** What is not there yet, and comes without a promise. */
export abstract class Pending<T> {
  /** To be called once, at once. `over` may be called in the middle of what brings it. */
  abstract whenOver(listener: PendingListener<T>): void;
}

/** One that is made before its end, and hears of that from its maker. */
export class Coming<T> extends Pending<T> {
  private listener: PendingListener<T> | null = null;
  /** What it came to before it had a listener. */
  private early: ((listener: PendingListener<T>) => void) | null = null;

  whenOver(listener: PendingListener<T>): void {
    this.listener = listener;
    this.early?.(listener);
  }

  over(result: T): void {
    if (this.listener === null) this.early = (listener) => listener.over(result);
    else this.listener.over(result);
  }

  failed(error: unknown): void {
    if (this.listener === null) this.early = (listener) => listener.failed(error);
    else this.listener.failed(error);
  }
}

export interface PendingListener<T> {
  over(result: T): void;
  failed(error: unknown): void;
}

export function tryRoutes<
  Ready extends ReadyRoute,
  Answer extends { readonly kind: "answered" },
  End = Answer,
>(
  deps: RouteSelectionDeps,
  routes: readonly Ready[],
  calls: RouteCalls<Ready, Answer, End>,
): Promise<Answer | End> {
  return new Promise((over, failed) => searchRoutes(deps, routes, calls, { over, failed }));
}

/** The same without a promise where the first call is answered. Throws nothing. */
export function searchRoutes<
  Ready extends ReadyRoute,
  Answer extends { readonly kind: "answered" },
  End = Answer,
>(
  deps: RouteSelectionDeps,
  routes: readonly Ready[],
  calls: RouteCalls<Ready, Answer, End>,
  listener: PendingListener<Answer | End>,
): void {
  const selection = createRouteSelection(deps, routes, calls);
  new Search(calls, selection, listener).goOn();
}

class Search<
  Ready extends ReadyRoute,
  Answer extends { readonly kind: "answered" },
  End,
> implements PendingListener<CallResult<Answer, End>> {
  private readonly calls: RouteCalls<Ready, Answer, End>;
  private readonly selection: RouteSelection<Ready>;
  private readonly listener: PendingListener<Answer | End>;
  /** The call under way. */
  private current: RouteTry<Ready> | null = null;

  constructor(
    calls: RouteCalls<Ready, Answer, End>,
    selection: RouteSelection<Ready>,
    listener: PendingListener<Answer | End>,
  ) {
    this.calls = calls;
    this.selection = selection;
    this.listener = listener;
  }

  /** With the next call, and the next after what comes of it at once. */
  goOn(): void {
    this.current = null;
    let calling: ReturnType<typeof this.calls.call>;
    try {
      this.current = this.calls.aborted ? null : this.selection.next();
      if (this.current === null) return this.exhaust();
      calling = this.calls.call(this.current);
    } catch (error) {
      return this.failed(error);
    }
    if (calling instanceof Promise)
      calling.then(
        (result) => this.take(result),
        (error: unknown) => this.failed(error),
      );
    else if (calling instanceof Pending) calling.whenOver(this);
    else this.take(calling);
  }

  over(result: CallResult<Answer, End>): void {
    // No call begins in the middle of another one's end.
    if (result.kind === "answered") this.take(result);
    else queueMicrotask(() => this.take(result));
  }

  failed(error: unknown): void {
    this.current?.release();
    this.current?.abandoned();
    this.listener.failed(error);
  }

  private take(result: CallResult<Answer, End>): void {
    const { current, calls, listener } = this;
    this.current = null;
    try {
      if (result.kind === "answered") current?.succeeded();
      else if (current !== null) {
        current.release();
        tell(current, result, calls.aborted);
      }
    } catch (error) {
      return listener.failed(error);
    }
    if (result.kind === "answered") listener.over(result);
    else if (result.kind === "ended") listener.over(result.end);
    else this.goOn();
  }

  private exhaust(): void {
    const { listener } = this;
    Promise.resolve(this.calls.exhausted(this.selection)).then(
      (end) => listener.over(end),
      (error: unknown) => listener.failed(error),
    );
  }
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

/**
 * What a chat request does with a model's routes: calls the one that is to be tried, asks again
 * where it was refused for what only we want, and puts every try on the receipt.
 */
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { decodeBodies } from "../../net/decode-bodies.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import type { CircuitBreakers } from "../routing/circuit-breakers.ts";
import type { ConcurrencyLimiter } from "../routing/concurrency-limiter.ts";
import { INTERACTIVE } from "../routing/failure-rules.ts";
import type { RouteHead, RouteSelection, RouteTry } from "../routing/route-selection.ts";
import {
  searchRoutes,
  Coming,
  type Pending,
  type PendingListener,
  type RouteCalls,
} from "../routing/try-routes.ts";
import { untranslatable, type UpstreamFailure } from "../routing/upstream-failure.ts";
import {
  createAskings,
  type Asked,
  type Askings,
  type FetchedAnswer,
  type OpenedRoute,
} from "./ask-upstream.ts";
import { sealOf, type Attempt as ReceiptAttempt, type ChatRun } from "./chat-run.ts";
import { createChatRoutes, type ChatRoute, type ChatRoutesDeps } from "./chat-routes.ts";
import { Hides } from "./hides.ts";
import { ADMITTED } from "./run-phase.ts";
import type { ChatUpstream } from "./chat-upstream.ts";
import { createUsageRefusals, type UsageRefusals } from "./usage-refusals.ts";

export interface RouteAttemptsDeps extends ChatRoutesDeps {
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly health: CircuitBreakers;
  readonly places: ConcurrencyLimiter;
}

export interface RouteAttempts {
  /** A stream at its first meaningful frame; `listener` hears of a Fault when no route has one. */
  open(run: ChatRun, listener: PendingListener<OpenedRoute>): void;
  /** A whole answer, in the same way. */
  fetch(run: ChatRun, listener: PendingListener<FetchedAnswer>): void;
}

/** What all requests share. */
interface AttemptParts {
  readonly clock: Clock;
  readonly askings: Askings;
  readonly usageRefusals: UsageRefusals;
  readonly hides: Hides;
}

/** What a request gets to know that speaks another protocol than its caller. */
const NOTHING_FORWARDED = { forward: {}, query: "" } as const;

export function createRouteAttempts(deps: RouteAttemptsDeps): RouteAttempts {
  const { clock, health, places } = deps;
  const choosing = { health, places, rules: INTERACTIVE, random: Math.random };
  const routes = createChatRoutes(deps);
  const askings = createAskings(decodeBodies(deps.outgoing));
  const parts: AttemptParts = {
    clock,
    askings,
    usageRefusals: createUsageRefusals(),
    hides: new Hides(),
  };
  return {
    open: (run, listener) =>
      searchRoutes(choosing, routes.of(run), new StreamCalls(parts, run), listener),
    fetch: (run, listener) =>
      searchRoutes(choosing, routes.of(run), new WholeCalls(parts, run), listener),
  };
}

/** A run keeps its place at the upstream until its try has failed, or its answer is over. */
abstract class ChatCalls<Answer extends { readonly kind: "answered" }> implements RouteCalls<
  ChatRoute,
  Answer
> {
  protected readonly parts: AttemptParts;
  protected readonly run: ChatRun;

  constructor(parts: AttemptParts, run: ChatRun) {
    this.parts = parts;
    this.run = run;
  }

  abstract call(current: RouteTry<ChatRoute>): UpstreamFailure | Pending<Answer | UpstreamFailure>;

  get aborted(): boolean {
    return this.run.call.reply.gone || this.run.cut;
  }

  onSkipped(route: RouteHead, worded: WordedReason): void {
    note(this.run, route, "skipped", null, worded, 0);
  }

  exhausted(selection: RouteSelection): never {
    throw this.run.cut ? new Fault("overloaded", { retryAfterSeconds: 1 }) : selection.fault();
  }

  /** One call is over, and goes on the receipt. */
  protected ended<Result extends Answer | UpstreamFailure>(
    { route }: ChatRoute,
    result: Result,
    begunMs: number,
  ): Result {
    const { run } = this;
    const ms = Math.round(this.parts.clock.monotonicMs() - begunMs);
    if (result.kind === "answered") note(run, route, "served", 200, null, ms);
    else {
      run.phase = ADMITTED;
      run.call.trace.attemptFailed(result);
      note(run, route, "failed", result.status, result, ms);
    }
    return result;
  }

  /** What the upstream is asked, unless its protocol has no word for it. */
  protected ask(
    current: RouteTry<ChatRoute>,
    stream: boolean,
    refusesUsage: boolean,
  ): Asked | UpstreamFailure {
    const { credential, ready } = current;
    const { route, upstream, port } = ready;
    const { model, call, request, answerModel, dropped } = this.run;
    const traceparent = call.trace.attempt(upstream, route);
    const path = this.parts.askings.pathOf(call.dialect, port);
    const { maxOutputTokens, reasoning } = model;
    const writing = path.writeRequest(request, {
      model: route.model,
      stream,
      maxOutputTokens,
      reasoning,
      refusesUsage,
      ...(call.dialect.repeatsRequest === true ? { seal: sealOf(this.run) } : {}),
      ...(dropped === null ? {} : { droppedTools: dropped.places }),
    });
    if (!writing.ok) return untranslatable(writing.fault);
    const { forward, query } = path.translated ? NOTHING_FORWARDED : call;
    return {
      request: port.buildRequest(upstream, {
        body: writing.body,
        credential: credential.value,
        stream,
        traceparent,
        forward,
        query,
      }),
      caller: call.dialect,
      current,
      hide: this.parts.hides.of(ready, credential, answerModel),
    };
  }

  /** While it is under way: what a lost client and the end of the process do to it. */
  protected guard(exchange: { abort(): void }, current: RouteTry<ChatRoute>): void {
    const { run } = this;
    const { onDisconnect } = current.ready.upstream;
    run.phase = { kind: "calling", exchange, place: current, onDisconnect };
    if (run.cut || (run.call.reply.gone && onDisconnect === "abort")) exchange.abort();
  }
}

class WholeCalls extends ChatCalls<FetchedAnswer> {
  call(current: RouteTry<ChatRoute>): UpstreamFailure | Pending<FetchedAnswer | UpstreamFailure> {
    const { ready } = current;
    const begunMs = this.parts.clock.monotonicMs();
    const asked = this.ask(current, false, false);
    if (!("request" in asked)) return this.ended(ready, asked, begunMs);
    const exchange = this.parts.askings.whole(asked, (result) =>
      this.ended(ready, result, begunMs),
    );
    this.guard(exchange, current);
    return exchange;
  }
}

class StreamCalls extends ChatCalls<OpenedRoute> {
  call(current: RouteTry<ChatRoute>): Pending<OpenedRoute | UpstreamFailure> {
    const coming = new Coming<OpenedRoute | UpstreamFailure>();
    this.begin(current, this.parts.usageRefusals.has(current.ready.upstream), coming);
    return coming;
  }

  /** Throws nothing: it may be begun where nothing would hear it. */
  private begin(
    current: RouteTry<ChatRoute>,
    refusesUsage: boolean,
    coming: Coming<OpenedRoute | UpstreamFailure>,
  ): void {
    const { clock, askings, usageRefusals } = this.parts;
    const { upstream, port } = current.ready;
    const failed = (error: unknown): void => coming.failed(error);
    try {
      const begunMs = clock.monotonicMs();
      const over = (outcome: OpenedRoute | UpstreamFailure): void => {
        let result: OpenedRoute | UpstreamFailure;
        try {
          result = this.ended(current.ready, outcome, begunMs);
          if (result.kind === "answered") {
            if (refusesUsage) usageRefusals.add(upstream);
          } else if (!refusesUsage && this.isWorthAsking(port, result)) {
            // No call begins in the middle of another one's end.
            queueMicrotask(() => this.begin(current, true, coming));
            return;
          }
        } catch (error) {
          // What brings the outcome has nothing to do with it, and would lose it.
          return failed(error);
        }
        coming.over(result);
      };
      const asked = this.ask(current, true, refusesUsage);
      if ("request" in asked) this.guard(askings.streamed(asked, { over, failed }), current);
      else over(asked);
    } catch (error) {
      failed(error);
    }
  }

  /**
   * Whether a stream may have been refused only for the usage that we ask for, and not its caller.
   */
  private isWorthAsking(port: ChatUpstream, failure: UpstreamFailure): boolean {
    const { askings, usageRefusals } = this.parts;
    if (this.aborted || !usageRefusals.mayBe(failure)) return false;
    const { call, request } = this.run;
    const [asIs, without] = ([false, "never"] as const).map((includeUsage) =>
      request.rewrite({ model: request.model, includeUsage }),
    );
    return (
      askings.pathOf(call.dialect, port).translated ||
      (asIs !== undefined && without?.equals(asIs) === true)
    );
  }
}

function note(
  run: ChatRun,
  { upstream, model }: RouteHead,
  outcome: ReceiptAttempt["outcome"],
  status: number | null,
  worded: WordedReason | null,
  ms: number,
): void {
  const reason = worded?.reason ?? null;
  const coded = worded?.coded;
  const attempt: ReceiptAttempt =
    coded === undefined
      ? { upstream, model, outcome, status, reason, ms }
      : { upstream, model, outcome, status, reason, coded, ms };
  // A list that grows from nothing takes room for many at once; nearly always there is one.
  run.attempts = run.attempts.length === 0 ? [attempt] : [...run.attempts, attempt];
}

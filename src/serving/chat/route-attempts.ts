/**
 * What a chat request does with a model's routes: calls the one that is to be tried, asks again
 * where it was refused for what only we want, and puts every try on the receipt.
 */
import type { Route } from "../../catalogue/catalogue.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { decodeBodies } from "../../net/decode-bodies.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import { hideOperatorWords, type HideWords } from "../../protocol/operator-words.ts";
import type { CircuitBreakers } from "../routing/circuit-breakers.ts";
import type { ConcurrencyLimiter } from "../routing/concurrency-limiter.ts";
import { INTERACTIVE } from "../routing/failure-rules.ts";
import type { RouteHead, RouteSelection, RouteTry } from "../routing/route-selection.ts";
import { tryRoutes, type RouteCalls } from "../routing/try-routes.ts";
import { untranslatable, type UpstreamFailure } from "../routing/upstream-failure.ts";
import {
  createAskings,
  type Asking,
  type Askings,
  type Exchange,
  type FetchedAnswer,
  type OpenedRoute,
} from "./ask-upstream.ts";
import type { Attempt as ReceiptAttempt, ChatRun } from "./chat-run.ts";
import { createChatRoutes, type ChatRoute, type ChatRoutesDeps } from "./chat-routes.ts";
import { ADMITTED, type Calling } from "./run-phase.ts";
import type { ChatUpstream } from "./chat-upstream.ts";
import { createUsageRefusals, type UsageRefusals } from "./usage-refusals.ts";

export interface RouteAttemptsDeps extends ChatRoutesDeps {
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly health: CircuitBreakers;
  readonly places: ConcurrencyLimiter;
}

export interface RouteAttempts {
  /** A stream at its first meaningful frame. Throws a Fault when no route has one. */
  open(run: ChatRun): Promise<OpenedRoute>;
  /** A whole answer. Throws a Fault when no route has one. */
  fetch(run: ChatRun): Promise<FetchedAnswer>;
}

/** What all requests share. */
interface AttemptParts {
  readonly clock: Clock;
  readonly askings: Askings;
  readonly usageRefusals: UsageRefusals;
}

/** What a request gets to know that speaks another protocol than its caller. */
const NOTHING_FORWARDED = { forward: {}, query: "" } as const;

export function createRouteAttempts(deps: RouteAttemptsDeps): RouteAttempts {
  const { clock, health, places } = deps;
  const choosing = { health, places, rules: INTERACTIVE, random: Math.random };
  const routes = createChatRoutes(deps);
  const askings = createAskings(decodeBodies(deps.outgoing));
  const parts: AttemptParts = { clock, askings, usageRefusals: createUsageRefusals() };
  return {
    open: (run) => tryRoutes(choosing, routes.of(run), new ChatCalls(parts, run, askings.streamed)),
    fetch: (run) => tryRoutes(choosing, routes.of(run), new ChatCalls(parts, run, askings.whole)),
  };
}

/** A run keeps its place at the upstream until its try has failed, or its answer is over. */
class ChatCalls<Outcome, Answer extends { readonly kind: "answered" }> implements RouteCalls<
  ChatRoute,
  Answer
> {
  private readonly parts: AttemptParts;
  private readonly run: ChatRun;
  private readonly asking: Asking<Outcome, Answer>;

  constructor(parts: AttemptParts, run: ChatRun, asking: Asking<Outcome, Answer>) {
    this.parts = parts;
    this.run = run;
    this.asking = asking;
  }

  get aborted(): boolean {
    return this.run.call.reply.gone || this.run.cut;
  }

  onSkipped(route: RouteHead, worded: WordedReason): void {
    note(this.run, route, "skipped", null, worded, 0);
  }

  async call(current: RouteTry<ChatRoute>): Promise<Answer | UpstreamFailure> {
    const { run, asking } = this;
    const { clock, usageRefusals } = this.parts;
    const { route, upstream } = current.ready;
    const hide = hideOperatorWords({
      credential: current.credential.value,
      upstreamModel: route.model,
      soldModel: run.answerModel,
    });
    const known = usageRefusals.has(upstream);
    for (let refusesUsage = known; ; refusesUsage = true) {
      const begunMs = clock.monotonicMs();
      const begun = this.begin(current, hide, refusesUsage);
      const result =
        "outcome" in begun
          ? asking.read(await begun.outcome, run.call.dialect, current, hide)
          : begun;
      this.ended(route, result, Math.round(clock.monotonicMs() - begunMs));
      if (result.kind === "answered") {
        if (refusesUsage && !known) usageRefusals.add(upstream);
        return result;
      }
      if (refusesUsage || !this.isWorthAsking(current.ready.port, result)) return result;
    }
  }

  exhausted(selection: RouteSelection): never {
    throw this.run.cut ? new Fault("overloaded", { retryAfterSeconds: 1 }) : selection.fault();
  }

  /** One call is over, and goes on the receipt. */
  private ended(route: Route, result: Answer | UpstreamFailure, ms: number): void {
    const { run } = this;
    if (result.kind === "answered") return note(run, route, "served", 200, null, ms);
    run.phase = ADMITTED;
    run.call.trace.attemptFailed(result);
    note(run, route, "failed", result.status, result, ms);
  }

  /**
   * Whether a stream may have been refused only for the usage that we ask for, and not its caller.
   */
  private isWorthAsking(port: ChatUpstream, failure: UpstreamFailure): boolean {
    const { askings, usageRefusals } = this.parts;
    if (!this.asking.stream || this.aborted || !usageRefusals.mayBe(failure)) return false;
    const { call, request } = this.run;
    const [asIs, without] = ([false, "never"] as const).map((includeUsage) =>
      request.rewrite({ model: request.model, includeUsage }),
    );
    return (
      askings.pathOf(call.dialect, port).translated ||
      (asIs !== undefined && without?.equals(asIs) === true)
    );
  }

  /** Calls the upstream, unless its protocol has no word for the request. */
  private begin(
    current: RouteTry<ChatRoute>,
    hide: HideWords,
    refusesUsage: boolean,
  ): Exchange<Outcome> | UpstreamFailure {
    const { run, asking } = this;
    const { credential, ready } = current;
    const { route, upstream, port } = ready;
    const { stream } = asking;
    const { model, call } = run;
    const traceparent = call.trace.attempt(upstream, route);
    const path = this.parts.askings.pathOf(call.dialect, port);
    const { maxOutputTokens, reasoning } = model;
    const writing = path.writeRequest(run.request, {
      model: route.model,
      stream,
      maxOutputTokens,
      reasoning,
      refusesUsage,
    });
    if (!writing.ok) return untranslatable(writing.fault);
    const { forward, query } = path.translated ? NOTHING_FORWARDED : call;
    const request = port.buildRequest(upstream, {
      body: writing.body,
      credential: credential.value,
      stream,
      traceparent,
      forward,
      query,
    });
    const exchange = asking.send(request, port, hide);
    guard(run, { kind: "calling", exchange, place: current, onDisconnect: upstream.onDisconnect });
    return exchange;
  }
}

/** While an attempt is under way: what a lost client and the end of the process do to it. */
function guard(run: ChatRun, phase: Calling): void {
  run.phase = phase;
  if (run.cut || (run.call.reply.gone && phase.onDisconnect === "abort")) phase.exchange.abort();
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
  run.attempts.push({
    upstream,
    model,
    outcome,
    status,
    reason,
    ...(coded === undefined ? {} : { coded }),
    ms,
  });
}

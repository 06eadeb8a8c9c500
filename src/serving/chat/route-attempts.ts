/**
 * Tries a model's routes one after the other until one has an answer; every try goes on the
 * receipt.
 */
import type { Catalogue, ChatModel, Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { decodeBodies } from "../../net/decode-bodies.ts";
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import { answerPath, type AnswerPath } from "../../protocol/answer-path.ts";
import type { AnswerReading, ChatDialect } from "../../protocol/chat-dialect.ts";
import { hideOperatorWords, type HideWords } from "../../protocol/operator-words.ts";
import { wholeBody } from "../../protocol/whole-body.ts";
import type { Attempt as ReceiptAttempt, ChatRun } from "./chat-run.ts";
import { chatUpstreamOf, type ChatUpstream, type ChatUpstreams } from "./chat-upstream.ts";
import type { FetchAnswerOutcome } from "./fetch-answer.ts";
import { fetchAnswer } from "./fetch-answer.ts";
import { openStream } from "./open-stream.ts";
import type { OpenStream, OpenStreamOutcome } from "./open-stream.ts";
import type { CircuitBreakers } from "../routing/circuit-breakers.ts";
import type { ReadyRoute, RouteTry } from "../routing/route-selection.ts";
import { createRouteSelection, readyRoute } from "../routing/route-selection.ts";
import {
  brokenAnswer,
  failureOfStatus,
  faultOfFailure,
  refusalText,
  untranslatable,
} from "../routing/upstream-failure.ts";
import type { UpstreamFailure } from "../routing/upstream-failure.ts";
import { createConcurrencyLimiter } from "../routing/concurrency-limiter.ts";
import { createUsageRefusals } from "./usage-refusals.ts";

export interface RouteAttemptsDeps {
  readonly upstreams: ChatUpstreams;
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly health: CircuitBreakers;
  /**
   * The value of a credential that the catalogue names; undefined when it is not set. Asked once
   * per catalogue.
   */
  credential(name: string): string | undefined;
}

export interface OpenedRoute {
  readonly kind: "answered";
  readonly stream: OpenStream;
  readonly upstream: UpstreamConfig;
  readonly path: AnswerPath;
}

export interface FetchedAnswer {
  readonly kind: "answered";
  readonly contentType: string;
  readonly body: Buffer;
  readonly reading: Extract<AnswerReading, { kind: "answer" }>;
  readonly path: AnswerPath;
}

export interface RouteAttempts {
  /** A stream at its first meaningful frame. Throws a Fault when no route has one. */
  open(run: ChatRun): Promise<OpenedRoute>;
  /** A whole answer. Throws a Fault when no route has one. */
  fetch(run: ChatRun): Promise<FetchedAnswer>;
}

/** A route that can serve chat. */
interface ChatRoute extends ReadyRoute {
  readonly port: ChatUpstream;
}

interface Exchange<Outcome> {
  readonly outcome: Promise<Outcome>;
  abort(): void;
}

/** The two ways to ask an upstream for an answer: as a stream, or whole. */
interface Asking<Outcome, Answer extends { readonly kind: "answered" }> {
  readonly stream: boolean;
  /** `hide` takes out of the upstream's words what is the operator's affair. */
  send(request: OutgoingRequest, port: ChatUpstream, hide: HideWords): Exchange<Outcome>;
  read(outcome: Outcome, run: ChatRun, route: ChatRoute, hide: HideWords): Answer | UpstreamFailure;
}

/** What a request gets to know that speaks another protocol than its caller. */
const NOTHING_FORWARDED = { forward: {}, query: "" } as const;

export function createRouteAttempts(deps: RouteAttemptsDeps): RouteAttempts {
  const { clock } = deps;
  const outgoing = decodeBodies(deps.outgoing);
  const choosing = { health: deps.health, places: createConcurrencyLimiter(), random: Math.random };
  const usageRefusals = createUsageRefusals();
  /** The chat routes by model, of the catalogue that was asked for last. */
  let ready: {
    readonly catalogue: Catalogue;
    readonly routes: Map<ChatModel, readonly ChatRoute[]>;
  } | null = null;
  /** One for each pair of protocols. */
  const paths: {
    readonly caller: ChatDialect;
    readonly port: ChatUpstream;
    readonly path: AnswerPath;
  }[] = [];

  const streamed: Asking<OpenStreamOutcome, OpenedRoute> = {
    stream: true,
    send: (request, { dialect }, hide) =>
      openStream(outgoing, request, {
        reader: dialect.createFrameReader(hide),
        hide,
        streamOf(body) {
          const reading = dialect.readAnswer(body, hide);
          return reading.kind === "answer" ? dialect.streamOf(reading.data) : null;
        },
      }),
    read(outcome, { call }, { upstream, port }) {
      if (outcome.kind === "failed") return outcome.failure;
      return {
        kind: "answered",
        stream: outcome.stream,
        upstream,
        path: pathOf(call.dialect, port),
      };
    },
  };

  const whole: Asking<FetchAnswerOutcome, FetchedAnswer> = {
    stream: false,
    send: (request, _port, hide) => fetchAnswer(outgoing, request, hide),
    read(outcome, { call }, { port }, hide) {
      if (outcome.kind === "failed") return outcome.failure;
      const body = wholeBody(port.dialect, outcome.body);
      const reading = port.dialect.readAnswer(body, hide);
      if (reading.kind === "answer") {
        return {
          kind: "answered",
          contentType: outcome.contentType,
          body,
          reading,
          path: pathOf(call.dialect, port),
        };
      }
      if (reading.kind === "garbage") return brokenAnswer(reading.reason);
      const { message, status } = reading.error;
      return status === null
        ? brokenAnswer(message)
        : failureOfStatus(status, refusalText(reading.error), null);
    },
  };

  /** A run keeps its place at the upstream until its try has failed, or it leaves. */
  async function firstAnswer<Outcome, Answer extends { readonly kind: "answered" }>(
    run: ChatRun,
    asking: Asking<Outcome, Answer>,
  ): Promise<Answer> {
    const tries = createRouteSelection(choosing, routesOf(run), (route, reason) =>
      note(run, route, "skipped", null, reason, 0),
    );
    while (!run.call.reply.gone && !run.cut) {
      const current = tries.next();
      if (current === null) break;
      const { route, upstream } = current.ready;
      run.place = current;
      const refusesUsage = usageRefusals.has(upstream);
      let result = await attempt(run, current, { asking, refusesUsage });
      if (
        result.kind !== "answered" &&
        !refusesUsage &&
        isWorthAsking(run, current.ready.port, asking, result)
      ) {
        result = await attempt(run, current, { asking, refusesUsage: true });
        if (result.kind === "answered") usageRefusals.add(upstream);
      }
      if (result.kind === "answered") {
        current.succeeded();
        run.served = route;
        return result;
      }
      run.place = null;
      current.release();
      // What was stopped by us tells nothing of the upstream.
      if (run.call.reply.gone || run.cut) current.abandoned();
      else current.failed(result);
      if (result.kind === "gateway") throw faultOfFailure(result);
    }
    throw run.cut ? new Fault("overloaded", { retryAfterSeconds: 1 }) : tries.fault();
  }

  /**
   * Whether a stream may have been refused only for the usage that we ask for, and not its caller.
   */
  function isWorthAsking(
    { call, request, cut }: ChatRun,
    port: ChatUpstream,
    { stream }: { stream: boolean },
    failure: UpstreamFailure,
  ): boolean {
    if (!stream || call.reply.gone || cut || !usageRefusals.mayBe(failure)) return false;
    const [asIs, without] = ([false, "never"] as const).map((includeUsage) =>
      request.rewrite({ model: request.model, includeUsage }),
    );
    return (
      pathOf(call.dialect, port).translated ||
      (asIs !== undefined && without?.equals(asIs) === true)
    );
  }

  /** One call, which goes on the receipt. */
  async function attempt<Outcome, Answer extends { readonly kind: "answered" }>(
    run: ChatRun,
    current: RouteTry<ChatRoute>,
    wish: { readonly asking: Asking<Outcome, Answer>; readonly refusesUsage: boolean },
  ): Promise<Answer | UpstreamFailure> {
    const { route } = current.ready;
    const hide = hideOperatorWords({
      credential: current.credential,
      upstreamModel: route.model,
      soldModel: run.answerModel,
    });
    const begunMs = clock.monotonicMs();
    let result: Answer | UpstreamFailure;
    try {
      const begun = begin(run, current, { ...wish, hide });
      result =
        "outcome" in begun
          ? wish.asking.read(await begun.outcome, run, current.ready, hide)
          : begun;
    } catch (error) {
      current.abandoned();
      throw error;
    }
    const ms = Math.round(clock.monotonicMs() - begunMs);
    run.current = null;
    if (result.kind === "answered") {
      note(run, route, "served", 200, null, ms);
      return result;
    }
    run.call.trace.attemptFailed(result);
    note(run, route, "failed", result.status, result.reason, ms);
    return result;
  }

  /** Calls the upstream, unless its protocol has no word for the request. */
  function begin<Outcome, Answer extends { readonly kind: "answered" }>(
    run: ChatRun,
    { credential, ready: { route, upstream, port } }: RouteTry<ChatRoute>,
    {
      asking,
      refusesUsage,
      hide,
    }: {
      readonly asking: Asking<Outcome, Answer>;
      readonly refusesUsage: boolean;
      readonly hide: HideWords;
    },
  ): Exchange<Outcome> | UpstreamFailure {
    const { stream } = asking;
    const { model, call } = run;
    const traceparent = call.trace.attempt(upstream, route);
    const path = pathOf(call.dialect, port);
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
      credential,
      stream,
      traceparent,
      forward,
      query,
    });
    const exchange = asking.send(request, port, hide);
    guard(run, upstream, exchange);
    return exchange;
  }

  /** While an attempt is under way: what a lost client and the end of the process do to it. */
  function guard(run: ChatRun, upstream: UpstreamConfig, exchange: { abort(): void }): void {
    run.current = exchange;
    run.onDisconnect = upstream.onDisconnect;
    if (run.cut || (run.call.reply.gone && upstream.onDisconnect === "abort")) exchange.abort();
  }

  function routesOf({ catalogue, model }: ChatRun): readonly ChatRoute[] {
    if (ready?.catalogue !== catalogue) ready = { catalogue, routes: new Map() };
    let routes = ready.routes.get(model);
    if (routes === undefined) {
      routes = model.routes.flatMap((route) => chatRoute(catalogue, route));
      ready.routes.set(model, routes);
    }
    return routes;
  }

  /** None for a route that cannot serve chat. */
  function chatRoute(catalogue: Catalogue, route: Route): ChatRoute[] {
    const upstream = catalogue.upstreams.get(route.upstream);
    const port = upstream === undefined ? null : chatUpstreamOf(deps.upstreams, upstream.protocol);
    if (upstream === undefined || port === null) return [];
    return [{ ...readyRoute(route, upstream, (name) => deps.credential(name)), port }];
  }

  function pathOf(caller: ChatDialect, port: ChatUpstream): AnswerPath {
    for (const known of paths)
      if (known.caller === caller && known.port === port) return known.path;
    const path = answerPath(caller, port.dialect);
    paths.push({ caller, port, path });
    return path;
  }

  return {
    open: (run) => firstAnswer(run, streamed),
    fetch: (run) => firstAnswer(run, whole),
  };
}

function note(
  run: ChatRun,
  { upstream, model }: Route,
  outcome: ReceiptAttempt["outcome"],
  status: number | null,
  reason: string | null,
  ms: number,
): void {
  run.attempts.push({ upstream, model, outcome, status, reason, ms });
}

/**
 * What a call does with a model's routes: asks the one that is to be tried, whole or for a stream,
 * and puts every try on the receipt.
 */
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import { decodeBodies } from "../../net/decode-bodies.ts";
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import type { CallAnswerReading, UpstreamAnswer } from "../../protocol/calls/call-protocol.ts";
import type { HideWords } from "../../protocol/operator-words.ts";
import { openAiCallRequest } from "../../upstreams/openai-call.ts";
import { fetchAnswer, outcomeOf } from "../chat/fetch-answer.ts";
import { Hides } from "../chat/hides.ts";
import { openStream, type OpenStream, type OpenStreamOutcome } from "../chat/open-stream.ts";
import type { CircuitBreakers } from "../routing/circuit-breakers.ts";
import type { ConcurrencyLimiter, Permit } from "../routing/concurrency-limiter.ts";
import { INTERACTIVE } from "../routing/failure-rules.ts";
import type { RouteHead, RouteSelection, RouteTry } from "../routing/route-selection.ts";
import { tryRoutes, type RouteCalls } from "../routing/try-routes.ts";
import {
  brokenAnswer,
  failureOfStatus,
  refusalText,
  type UpstreamFailure,
} from "../routing/upstream-failure.ts";
import { createCallRoutes, type ReadyCallRoute } from "./call-routes.ts";
import { streamingOf, type CallAttempt, type CallRun } from "./call-run.ts";

export interface CallAttemptsDeps {
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly health: CircuitBreakers;
  readonly places: ConcurrencyLimiter;
  credential(name: string): string | undefined;
}

interface Served {
  readonly kind: "answered";
  readonly ready: ReadyCallRoute;
  readonly place: Permit;
}

export interface WholeCallAnswer extends Served {
  readonly answer: UpstreamAnswer;
  readonly reading: Extract<CallAnswerReading, { kind: "answer" }>;
}

export interface StreamedCallAnswer extends Served {
  readonly stream: OpenStream;
}

export interface CallAttempts {
  /** Throws a Fault when no route has one. */
  whole(run: CallRun): Promise<WholeCallAnswer>;
  /** At its first meaningful frame. Throws a Fault when no route has one. */
  streamed(run: CallRun): Promise<StreamedCallAnswer>;
}

interface AttemptParts {
  readonly clock: Clock;
  readonly outgoing: Outgoing;
  readonly hides: Hides;
}

export function createCallAttempts(deps: CallAttemptsDeps): CallAttempts {
  const { clock, health, places } = deps;
  const choosing = { health, places, rules: INTERACTIVE, random: Math.random };
  const routes = createCallRoutes((name) => deps.credential(name));
  const parts = { clock, outgoing: decodeBodies(deps.outgoing), hides: new Hides() };
  const routesOf = ({ catalogue, model }: CallRun): readonly ReadyCallRoute[] =>
    routes.of(catalogue, model);
  return {
    whole: (run) => tryRoutes(choosing, routesOf(run), new WholeCalls(parts, run)),
    streamed: (run) => tryRoutes(choosing, routesOf(run), new StreamedCalls(parts, run)),
  };
}

/** A run keeps its place at the upstream until its try has failed, or its answer is over. */
abstract class Calls<Answer extends Served> implements RouteCalls<ReadyCallRoute, Answer> {
  protected readonly parts: AttemptParts;
  protected readonly run: CallRun;

  constructor(parts: AttemptParts, run: CallRun) {
    this.parts = parts;
    this.run = run;
  }

  abstract attempt(
    request: OutgoingRequest,
    current: RouteTry<ReadyCallRoute>,
    hide: HideWords,
  ): { readonly outcome: Promise<Answer | UpstreamFailure>; abort(): void };

  get aborted(): boolean {
    return this.run.call.reply.gone || this.run.cut || this.run.late;
  }

  async call(current: RouteTry<ReadyCallRoute>): Promise<Answer | UpstreamFailure> {
    const { parts, run } = this;
    const { ready, credential } = current;
    const begunMs = parts.clock.monotonicMs();
    const hide = parts.hides.of(ready, credential, run.answerModel);
    const exchange = this.attempt(this.requestOf(current), current, hide);
    const { onDisconnect } = ready.upstream;
    run.underWay = { exchange, onDisconnect };
    if (run.cut || run.late || (run.call.reply.gone && onDisconnect === "abort")) exchange.abort();
    const result = await exchange.outcome;
    const ms = Math.round(parts.clock.monotonicMs() - begunMs);
    if (result.kind === "answered") note(run, ready.route, "served", 200, null, ms);
    else {
      run.underWay = null;
      run.call.trace.attemptFailed(result);
      note(run, ready.route, "failed", result.status, result, ms);
    }
    return result;
  }

  onSkipped(route: RouteHead, worded: WordedReason): void {
    note(this.run, route, "skipped", null, worded, 0);
  }

  exhausted(selection: RouteSelection): never {
    throw stoppedBy(this.run) ?? selection.fault();
  }

  private requestOf({ ready, credential }: RouteTry<ReadyCallRoute>): OutgoingRequest {
    const { asked, call } = this.run;
    const { protocol } = call.dialect;
    const { contentType, bytes } = asked.write(ready.route.model);
    return openAiCallRequest(ready.upstream, {
      path: protocol.path,
      contentType,
      body: bytes,
      credential: credential.value,
      accept: asked.stream ? streamingOf(this.run).accept : "application/json",
      traceparent: call.trace.attempt(ready.upstream, ready.route),
    });
  }
}

class WholeCalls extends Calls<WholeCallAnswer> {
  attempt(request: OutgoingRequest, current: RouteTry<ReadyCallRoute>, hide: HideWords) {
    const { asked, call } = this.run;
    const exchange = fetchAnswer(
      this.parts.outgoing,
      request,
      hide,
      (outcome): WholeCallAnswer | UpstreamFailure => {
        if (outcome.kind === "failed") return outcome.failure;
        const { contentType, body } = outcome;
        const answer = { contentType, body };
        const reading = call.dialect.protocol.readAnswer(answer, asked, hide);
        if (reading.kind === "answer")
          return { kind: "answered", ready: current.ready, place: current, answer, reading };
        if (reading.kind === "garbage") return brokenAnswer(reading);
        const { message, status } = reading.error;
        return status === null
          ? brokenAnswer(message)
          : failureOfStatus(status, refusalText(reading.error), null);
      },
    );
    return { outcome: outcomeOf(exchange), abort: () => exchange.abort() };
  }
}

class StreamedCalls extends Calls<StreamedCallAnswer> {
  attempt(request: OutgoingRequest, current: RouteTry<ReadyCallRoute>, hide: HideWords) {
    const streaming = streamingOf(this.run);
    const { promise, resolve } = Promise.withResolvers<OpenStreamOutcome>();
    const reading = {
      reader: streaming.createReader(hide),
      hide,
      streamOf: (body: Buffer) => streaming.streamOf(body),
      ...(streaming.takes === undefined ? {} : { takes: streaming.takes }),
    };
    const attempt = openStream(this.parts.outgoing, request, reading, resolve);
    const outcome = promise.then((opened): StreamedCallAnswer | UpstreamFailure =>
      opened.kind === "failed"
        ? opened.failure
        : { kind: "answered", ready: current.ready, place: current, stream: opened.stream },
    );
    return { outcome, abort: () => attempt.abort() };
  }
}

/** Why there is no answer, where that is not its upstream's doing; null: it was not stopped. */
export function stoppedBy({ cut, late }: Pick<CallRun, "cut" | "late">): Fault | null {
  if (cut) return new Fault("overloaded", { retryAfterSeconds: 1 });
  return late
    ? new Fault("upstream_timeout", {
        message:
          "The whole answer has not come in the time that is waited for one. Nothing is charged.",
      })
    : null;
}

function note(
  run: CallRun,
  { upstream, model }: RouteHead,
  outcome: CallAttempt["outcome"],
  status: number | null,
  worded: WordedReason | null,
  ms: number,
): void {
  const coded = worded?.coded;
  run.attempts = [
    ...run.attempts,
    {
      upstream,
      model,
      outcome,
      status,
      reason: worded?.reason ?? null,
      ...(coded === undefined ? {} : { coded }),
      ms,
    },
  ];
}

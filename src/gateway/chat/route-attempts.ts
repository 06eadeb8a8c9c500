/** Tries a model's routes one after the other until one has an answer; every try goes on the receipt. */
import { randomInt } from "node:crypto";
import type { Catalogue, Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Outgoing, OutgoingRequest } from "../../net/outgoing.ts";
import type { AnswerReading, ChatDialect } from "./chat-dialect.ts";
import type { ChatRun } from "./chat-run.ts";
import { chooseRoutes } from "./choose-routes.ts";
import { fetchAnswer } from "./fetch-answer.ts";
import { openStream } from "./open-stream.ts";
import type { OpenStream } from "./open-stream.ts";
import { brokenAnswer, failureOfStatus, faultOfFailure } from "./upstream-failure.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";
import { createUpstreamSlots } from "./upstream-slots.ts";

export interface RouteAttemptsDeps {
  readonly dialect: ChatDialect;
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  /** The value of a credential that the catalogue names; undefined when it is not set. */
  credential(name: string): string | undefined;
  buildRequest(
    upstream: UpstreamConfig,
    call: { body: Buffer; credential: string; stream: boolean; traceparent: string | null },
  ): OutgoingRequest;
}

export interface OpenedRoute {
  readonly stream: OpenStream;
  readonly upstream: UpstreamConfig;
}

export interface FetchedAnswer {
  readonly contentType: string;
  readonly body: Buffer;
  readonly reading: Extract<AnswerReading, { kind: "answer" }>;
}

export interface RouteAttempts {
  /** A stream at its first meaningful frame. Throws a Fault when no route has one. */
  open(run: ChatRun, catalogue: Catalogue, includeUsage: boolean): Promise<OpenedRoute>;
  /** A whole answer. Throws a Fault when no route has one. */
  fetch(run: ChatRun, catalogue: Catalogue): Promise<FetchedAnswer>;
}

const RANDOM_RANGE = 1 << 24;
const random = (): number => randomInt(RANDOM_RANGE) / RANDOM_RANGE;

export function createRouteAttempts(deps: RouteAttemptsDeps): RouteAttempts {
  const { dialect, clock } = deps;
  const slots = createUpstreamSlots();

  /** A run keeps its place at the upstream until its try has failed, or it leaves. */
  async function firstAnswer<T>(
    run: ChatRun,
    catalogue: Catalogue,
    attempt: (
      route: Route,
      upstream: UpstreamConfig,
      access: { readonly credential: string; readonly traceparent: string | null },
    ) => Promise<{ readonly ok: T } | { readonly failure: UpstreamFailure }>,
  ): Promise<T> {
    let last: UpstreamFailure = brokenAnswer("the model has no route that could be tried");
    for (const route of chooseRoutes(run.model.routes, random)) {
      if (run.call.reply.gone || run.cut) break;
      const upstream = catalogue.upstreams.get(route.upstream);
      if (upstream === undefined) continue;
      if (upstream.protocol !== dialect.upstreamProtocol) {
        last = noteFailure(run, route, 0, brokenAnswer(`an upstream of the ${upstream.protocol} protocol cannot serve this endpoint yet`));
        continue;
      }
      const name = slots.nextCredential(upstream.name, upstream.apiKeyEnv);
      const credential = name === null ? undefined : deps.credential(name);
      if (credential === undefined) {
        last = noteFailure(run, route, 0, brokenAnswer(`the credential ${name ?? "(none named)"} is not set`));
        continue;
      }
      if (!slots.take(upstream.name, upstream.maxConcurrent)) {
        const reason = "every place at the upstream is taken";
        last = noteFailure(run, route, 0, { kind: "full", status: null, reason, callerText: null, retryAfterSeconds: 1 });
        continue;
      }
      const release = (): void => slots.release(upstream.name);
      run.releasePlace = release;
      const begunMs = clock.monotonicMs();
      const traceparent = run.call.trace.attempt(upstream, route);
      const result = await attempt(route, upstream, { credential, traceparent });
      const ms = Math.round(clock.monotonicMs() - begunMs);
      run.abortCurrent = null;
      run.onGone = null;
      if ("ok" in result) {
        run.attempts.push({ upstream: route.upstream, model: route.model, outcome: "served", status: 200, reason: null, ms });
        return result.ok;
      }
      run.releasePlace = null;
      release();
      run.call.trace.attemptFailed(result.failure);
      last = noteFailure(run, route, ms, result.failure);
      if (result.failure.kind === "caller") break;
    }
    throw run.cut ? new Fault("overloaded", { retryAfterSeconds: 1 }) : faultOfFailure(last);
  }

  function noteFailure(run: ChatRun, route: Route, ms: number, failure: UpstreamFailure): UpstreamFailure {
    run.attempts.push({
      upstream: route.upstream,
      model: route.model,
      outcome: "failed",
      status: failure.status,
      reason: failure.reason,
      ms,
    });
    return failure;
  }

  /** While an attempt is under way: what a lost client and the end of the process do to it. */
  function guard(run: ChatRun, upstream: UpstreamConfig, abort: () => void): void {
    run.abortCurrent = abort;
    run.onGone = upstream.onDisconnect === "abort" ? abort : null;
    if (run.cut || (run.call.reply.gone && upstream.onDisconnect === "abort")) abort();
  }

  return {
    open(run, catalogue, includeUsage) {
      const { call, request } = run;
      return firstAnswer(run, catalogue, async (route, upstream, access) => {
        const body = request.rewrite({ model: route.model, stream: true, includeUsage: true });
        const fallback = { id: `chatcmpl-${call.requestId}`, created: Math.floor(call.startedAt.getTime() / 1000), model: route.model };
        const reader = dialect.createFrameReader({ includeUsage, fallback });
        const attempt = openStream(deps.outgoing, deps.buildRequest(upstream, { body, stream: true, ...access }), reader);
        guard(run, upstream, attempt.abort);
        const outcome = await attempt.outcome;
        return outcome.kind === "open" ? { ok: { stream: outcome.stream, upstream } } : { failure: outcome.failure };
      });
    },

    fetch(run, catalogue) {
      return firstAnswer(run, catalogue, async (route, upstream, access) => {
        const body = run.request.rewrite({ model: route.model, includeUsage: false });
        const attempt = fetchAnswer(deps.outgoing, deps.buildRequest(upstream, { body, stream: false, ...access }));
        guard(run, upstream, attempt.abort);
        const outcome = await attempt.outcome;
        if (outcome.kind === "failed") return { failure: outcome.failure };
        const reading = dialect.readAnswer(outcome.body);
        if (reading.kind === "answer") return { ok: { contentType: outcome.contentType, body: outcome.body, reading } };
        if (reading.kind === "garbage") return { failure: brokenAnswer(reading.reason) };
        const { message, status } = reading.error;
        return { failure: status === null ? brokenAnswer(message) : failureOfStatus(status, { message, param: null }, null) };
      });
    },
  };
}

/** Tries a model's routes one after the other until one has an answer; every try goes on the receipt. */
import { randomInt } from "node:crypto";
import type { Catalogue, Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Outgoing } from "../../net/outgoing.ts";
import { answerPath, type AnswerPath } from "../../protocol/answer-path.ts";
import type { AnswerReading } from "../../protocol/chat-dialect.ts";
import type { RequestTarget } from "../../protocol/neutral/neutral-request.ts";
import type { ChatUpstreamCall } from "../../upstreams/chat-post.ts";
import type { Attempt as ReceiptAttempt, ChatRun } from "./chat-run.ts";
import { chatUpstreamOf, type ChatUpstream, type ChatUpstreams } from "./chat-upstream.ts";
import { fetchAnswer } from "./fetch-answer.ts";
import { openStream } from "./open-stream.ts";
import type { OpenStream } from "./open-stream.ts";
import type { RouteHealth } from "./route-health.ts";
import { createRouteTries } from "./route-tries.ts";
import { brokenAnswer, failureOfStatus, untranslatable } from "./upstream-failure.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";
import { createUpstreamPlaces } from "./upstream-places.ts";

export interface RouteAttemptsDeps {
  readonly upstreams: ChatUpstreams;
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly health: RouteHealth;
  /** The value of a credential that the catalogue names; undefined when it is not set. */
  credential(name: string): string | undefined;
}

export interface OpenedRoute {
  readonly stream: OpenStream;
  readonly upstream: UpstreamConfig;
  readonly path: AnswerPath;
}

export interface FetchedAnswer {
  readonly contentType: string;
  readonly body: Buffer;
  readonly reading: Extract<AnswerReading, { kind: "answer" }>;
  readonly path: AnswerPath;
}

/** One try at one route. */
interface Attempt {
  readonly route: Route;
  readonly upstream: UpstreamConfig;
  readonly port: ChatUpstream;
  readonly path: AnswerPath;
  /** Everything of the call but its body. */
  readonly access: Omit<ChatUpstreamCall, "body" | "stream">;
}

export interface RouteAttempts {
  /** A stream at its first meaningful frame. Throws a Fault when no route has one. */
  open(run: ChatRun, catalogue: Catalogue): Promise<OpenedRoute>;
  /** A whole answer. Throws a Fault when no route has one. */
  fetch(run: ChatRun, catalogue: Catalogue): Promise<FetchedAnswer>;
}

const NOTHING_FORWARDED = { forward: {}, query: "" } as const;
const RANDOM_RANGE = 1 << 24;
const random = (): number => randomInt(RANDOM_RANGE) / RANDOM_RANGE;

export function createRouteAttempts(deps: RouteAttemptsDeps): RouteAttempts {
  const { clock, health, credential } = deps;
  const places = createUpstreamPlaces();

  /** A run keeps its place at the upstream until its try has failed, or it leaves. */
  async function firstAnswer<T>(
    run: ChatRun,
    catalogue: Catalogue,
    attempt: (at: Attempt) => Promise<{ readonly ok: T } | { readonly failure: UpstreamFailure }>,
  ): Promise<T> {
    const routes = run.model.routes.filter((route) => portOf(catalogue, route) !== null);
    const tries = createRouteTries({ health, places, credential, random }, routes, catalogue, (route, reason) =>
      note(run, route, { outcome: "skipped", status: null, reason, ms: 0 }),
    );
    while (!run.call.reply.gone && !run.cut) {
      const current = tries.next();
      const port = current === null ? null : portOf(catalogue, current.route);
      if (current === null || port === null) break;
      const { route, upstream } = current;
      run.releasePlace = current.release;
      const begunMs = clock.monotonicMs();
      const traceparent = run.call.trace.attempt(upstream, route);
      const path = answerPath(run.call.dialect, port.dialect);
      const { forward, query } = path.translated ? NOTHING_FORWARDED : run.call;
      const access = { credential: current.credential, traceparent, forward, query };
      const result = await attempt({ route, upstream, port, path, access }).catch((error: unknown) => {
        current.abandoned();
        throw error;
      });
      const ms = Math.round(clock.monotonicMs() - begunMs);
      run.abortCurrent = null;
      run.onGone = null;
      if ("ok" in result) {
        current.succeeded();
        note(run, route, { outcome: "served", status: 200, reason: null, ms });
        return result.ok;
      }
      run.releasePlace = null;
      current.release();
      const { failure } = result;
      // What was stopped by us tells nothing of the upstream.
      if (run.call.reply.gone || run.cut) current.abandoned();
      else current.failed(failure);
      run.call.trace.attemptFailed(failure);
      note(run, route, { outcome: "failed", status: failure.status, reason: failure.reason, ms });
    }
    throw run.cut ? new Fault("overloaded", { retryAfterSeconds: 1 }) : tries.fault();
  }

  /** Null for a route that cannot serve chat. */
  function portOf(catalogue: Catalogue, route: Route): ChatUpstream | null {
    const upstream = catalogue.upstreams.get(route.upstream);
    return upstream === undefined ? null : chatUpstreamOf(deps.upstreams, upstream.protocol);
  }

  function note(run: ChatRun, { upstream, model }: Route, noted: Omit<ReceiptAttempt, "upstream" | "model">): void {
    run.attempts.push({ upstream, model, ...noted });
  }

  /** While an attempt is under way: what a lost client and the end of the process do to it. */
  function guard(run: ChatRun, upstream: UpstreamConfig, abort: () => void): void {
    run.abortCurrent = abort;
    run.onGone = upstream.onDisconnect === "abort" ? abort : null;
    if (run.cut || (run.call.reply.gone && upstream.onDisconnect === "abort")) abort();
  }

  return {
    open(run, catalogue) {
      return firstAnswer(run, catalogue, async ({ route, upstream, port, path, access }) => {
        const writing = path.writeRequest(run.request, targetOf(run, route, true));
        if (!writing.ok) return { failure: untranslatable(writing.fault) };
        const request = port.buildRequest(upstream, { ...access, body: writing.body, stream: true });
        const attempt = openStream(deps.outgoing, request, port.dialect.createFrameReader());
        guard(run, upstream, attempt.abort);
        const outcome = await attempt.outcome;
        return outcome.kind === "open" ? { ok: { stream: outcome.stream, upstream, path } } : { failure: outcome.failure };
      });
    },

    fetch(run, catalogue) {
      return firstAnswer(run, catalogue, async ({ route, upstream, port, path, access }) => {
        const writing = path.writeRequest(run.request, targetOf(run, route, false));
        if (!writing.ok) return { failure: untranslatable(writing.fault) };
        const attempt = fetchAnswer(deps.outgoing, port.buildRequest(upstream, { ...access, body: writing.body, stream: false }));
        guard(run, upstream, attempt.abort);
        const outcome = await attempt.outcome;
        if (outcome.kind === "failed") return { failure: outcome.failure };
        const reading = port.dialect.readAnswer(outcome.body);
        if (reading.kind === "answer") return { ok: { contentType: outcome.contentType, body: outcome.body, reading, path } };
        if (reading.kind === "garbage") return { failure: brokenAnswer(reading.reason) };
        const { message, status } = reading.error;
        return { failure: status === null ? brokenAnswer(message) : failureOfStatus(status, { message, param: null }, null) };
      });
    },
  };
}

function targetOf(run: ChatRun, route: Route, stream: boolean): RequestTarget {
  return { model: route.model, stream, maxOutputTokens: run.model.maxOutputTokens, reasoning: run.model.reasoning };
}

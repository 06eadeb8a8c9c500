/**
 * Which route and credential one request tries next: by order and weight, what rests only as the
 * last resort, what is open or full not at all.
 */
import type { Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { chooseRoutes } from "./choose-routes.ts";
import type { RouteCall, CircuitBreakers } from "./circuit-breakers.ts";
import type { FailureRules } from "./failure-rules.ts";
import { brokenAnswer, faultOfFailure } from "./upstream-failure.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";
import type { Permit, ConcurrencyLimiter } from "./concurrency-limiter.ts";

export interface RouteSelectionDeps {
  readonly health: CircuitBreakers;
  readonly places: ConcurrencyLimiter;
  readonly rules: FailureRules;
  /** Numbers in [0, 1). */
  random(): number;
}

/** What is to be known of a route to choose it. */
export type RouteHead = Pick<Route, "upstream" | "model" | "order" | "weight" | "maxConcurrent">;

/** A route with what it takes to call it, made ready once for all requests. */
export interface ReadyRoute {
  readonly route: RouteHead;
  readonly upstream: UpstreamConfig;
  /** Those that are set. */
  readonly credentials: readonly Credential[];
  readonly order: number;
  readonly weight: number;
}

export interface Credential {
  readonly name: string;
  readonly value: string;
}

/**
 * `credential` gives the value of a credential that the catalogue names; undefined when it is not
 * set.
 */
export function readyRoute<Given extends RouteHead>(
  route: Given,
  upstream: UpstreamConfig,
  credential: (name: string) => string | undefined,
): ReadyRoute & { readonly route: Given } {
  const credentials = upstream.apiKeyEnv.flatMap((name) => {
    const value = credential(name);
    return value === undefined ? [] : [{ name, value }];
  });
  return { route, upstream, credentials, order: route.order, weight: route.weight };
}

/** One call to make. Exactly one of its outcomes is told, before the next try is asked for. */
export interface RouteTry<Ready extends ReadyRoute = ReadyRoute> extends RouteCall, Permit {
  readonly ready: Ready;
  readonly credential: Credential;
  /** It was not called, and this route is not to be, with another credential either. */
  passedOver(): void;
}

/**
 * A route is passed over without a call. `retryInMs`: until it may be worth one; null: waiting mends
 * nothing.
 */
export interface SkipListener {
  onSkipped(route: RouteHead, worded: WordedReason, retryInMs: number | null): void;
}

export interface RouteSelection<Ready extends ReadyRoute = ReadyRoute> {
  /**
   * Null when nothing is left to be tried, or enough was. A try keeps its place until it is
   * released; where there is an answer, to its end.
   */
  next(): RouteTry<Ready> | null;
  /** What the caller is told when nothing answered. */
  fault(): Fault;
}

/** So many calls of upstreams may one request cost. */
const MOST_TRIES = 6;
const FULL_RETRY_MS = 500;

/**
 * `listener` hears of every route that is passed over without a call, and why, for the receipt.
 */
export function createRouteSelection<Ready extends ReadyRoute>(
  deps: RouteSelectionDeps,
  routes: readonly Ready[],
  listener: SkipListener,
): RouteSelection<Ready> {
  return new Tries(deps, chooseRoutes(routes, deps.random), listener);
}

class Tries<Ready extends ReadyRoute> implements RouteSelection<Ready> {
  private readonly deps: RouteSelectionDeps;
  private readonly routes: readonly Ready[];
  private readonly listener: SkipListener;
  /**
   * The route that is under way, and its credentials from the one whose turn it is; null before it
   * is looked at.
   */
  private routeIndex = 0;
  private credentials: readonly Credential[] | null = null;
  private credentialIndex = 0;
  /** Its credentials that were put off. */
  private restedHere = 0;
  private lastResort: { readonly ready: Ready; readonly credential: Credential }[] | null = null;
  private lastResortIndex = 0;
  /** Routes on which no other credential would help. */
  private spent: RouteHead[] | null = null;
  private tries = 0;
  private over = false;
  /** Of the last call. */
  private failure: UpstreamFailure | null = null;
  /** Of the last route whose protocol has no word for the request. */
  private untranslated: UpstreamFailure | null = null;
  private unusable = "the model has no route that could be tried";
  /** Until the first route that is open or full can be tried; null while there is none. */
  private retryInMs: number | null = null;
  /** Passed over as soon as another is tried. */
  private resting: RouteHead[] | null = null;

  constructor(deps: RouteSelectionDeps, routes: readonly Ready[], listener: SkipListener) {
    this.deps = deps;
    this.routes = routes;
    this.listener = listener;
  }

  next(): RouteTry<Ready> | null {
    if (this.over || this.tries >= MOST_TRIES) return null;
    for (
      let ready = this.routes[this.routeIndex];
      ready !== undefined;
      ready = this.routes[this.routeIndex]
    ) {
      const made = this.nextOn(ready);
      if (made !== null) return made;
      this.leave(ready);
    }
    return this.nextOfLastResort();
  }

  fault(): Fault {
    if (this.failure !== null) return faultOfFailure(this.failure);
    if (this.retryInMs === null)
      return faultOfFailure(this.untranslated ?? brokenAnswer(this.unusable));
    return new Fault("overloaded", {
      ...sayRefusal("upstreams_busy"),
      retryAfterSeconds: Math.max(1, Math.ceil(this.retryInMs / 1000)),
    });
  }

  /** What became of a try that failed decides what is tried after it. */
  failed({ route }: Ready, reported: UpstreamFailure): void {
    if (reported.kind === "untranslatable") this.untranslated = reported;
    else this.failure = reported;
    if (reported.kind === "caller" || reported.kind === "gateway") this.over = true;
    if (!isOfCredential(reported)) this.spend(route);
  }

  /** No other credential of it is tried. */
  spend(route: RouteHead): void {
    (this.spent ??= []).push(route);
  }

  /** With the next credential of this route that does not rest. */
  private nextOn(ready: Ready): RouteTry<Ready> | null {
    const { health } = this.deps;
    const { route, upstream } = ready;
    this.credentials ??= this.enter(ready);
    while (this.credentialIndex < this.credentials.length) {
      const credential = this.credentials[this.credentialIndex++];
      if (credential === undefined) break;
      if (
        health.route(route).kind === "resting" ||
        health.credentialRests(upstream.name, credential.name)
      ) {
        this.restedHere += 1;
        (this.lastResort ??= []).push({ ready, credential });
        continue;
      }
      const made = this.begin(ready, credential);
      if (made !== null) return made;
    }
    return null;
  }

  private enter({ route, upstream, credentials }: Ready): readonly Credential[] {
    if (credentials.length === 0) {
      const names = upstream.apiKeyEnv.join(", ");
      const worded = sayReason("no_credential", { upstream: upstream.name, names });
      this.unusable = worded.reason;
      this.listener.onSkipped(route, worded, null);
    }
    this.credentialIndex = 0;
    this.restedHere = 0;
    return this.deps.health.credentialsInTurn(upstream.name, credentials);
  }

  private leave(ready: Ready): void {
    const allRest = this.restedHere === ready.credentials.length;
    if (this.restedHere > 0) {
      if (!this.deps.rules.lastResort) this.skipRested(ready, allRest);
      else if (allRest) (this.resting ??= []).push(ready.route);
    }
    this.credentials = null;
    this.routeIndex += 1;
  }

  /** Where some of its credentials were called, only what a rest of the others says is told. */
  private skipRested(ready: Ready, allRest: boolean): void {
    const { route } = ready;
    const waitMs = this.restMs(ready);
    if (waitMs !== null) this.listener.onSkipped(route, sayReason("cooldown"), waitMs);
    else if (allRest) this.listener.onSkipped(route, sayReason("credentials_refused"), null);
  }

  /** Until the first of them may be called; null: an operator has to mend them first. */
  private restMs({ route, upstream, credentials }: Ready): number | null {
    const { health, rules } = this.deps;
    const view = health.route(route);
    if (view.kind !== "ready") return Math.max(view.retryInMs, rules.leastWaitMs);
    let waitMs: number | null = null;
    for (const { name } of credentials) {
      const rest = health.restOfCredential(upstream.name, name);
      if (rest === null || rest.why === "refused") continue;
      const ms = rest.why === "probed" ? rules.leastWaitMs : rest.retryInMs;
      waitMs = Math.min(waitMs ?? Infinity, ms);
    }
    return waitMs;
  }

  private nextOfLastResort(): RouteTry<Ready> | null {
    this.resting = null;
    if (!this.deps.rules.lastResort) return null;
    while (this.lastResort !== null && this.lastResortIndex < this.lastResort.length) {
      const last = this.lastResort[this.lastResortIndex++];
      const made = last === undefined ? null : this.begin(last.ready, last.credential);
      if (made !== null) return made;
    }
    return null;
  }

  private begin(ready: Ready, credential: Credential): RouteTry<Ready> | null {
    const { health, places, rules } = this.deps;
    const { route, upstream } = ready;
    if (this.spent?.includes(route) === true) return null;
    const view = health.route(route);
    if (view.kind === "open") {
      const why = view.takenOut === true ? "taken_out" : "circuit_open";
      return this.skip(route, why, Math.max(view.retryInMs, rules.leastWaitMs));
    }
    const place = places.take(upstream, route);
    if (place === null) return this.skip(route, "places_taken", FULL_RETRY_MS);
    const call = health.begin(route, credential.name, rules);
    this.tries += 1;
    if (this.resting !== null)
      for (const passedOver of this.resting)
        this.listener.onSkipped(passedOver, sayReason("cooldown"), null);
    this.resting = null;
    return new Try(this, ready, credential, place, call);
  }

  private skip(
    route: RouteHead,
    why: "circuit_open" | "taken_out" | "places_taken",
    waitMs: number,
  ): null {
    this.spend(route);
    this.retryInMs = Math.min(this.retryInMs ?? Infinity, waitMs);
    this.listener.onSkipped(route, sayReason(why), waitMs);
    return null;
  }
}

class Try<Ready extends ReadyRoute> implements RouteTry<Ready> {
  readonly ready: Ready;
  readonly credential: Credential;
  private readonly tries: Tries<Ready>;
  private readonly place: Permit;
  private readonly call: RouteCall;

  constructor(
    tries: Tries<Ready>,
    ready: Ready,
    credential: Credential,
    place: Permit,
    call: RouteCall,
  ) {
    this.ready = ready;
    this.credential = credential;
    this.tries = tries;
    this.place = place;
    this.call = call;
  }

  release(): void {
    this.place.release();
  }

  succeeded(): void {
    this.call.succeeded();
  }

  abandoned(): void {
    this.call.abandoned();
  }

  passedOver(): void {
    this.call.abandoned();
    this.tries.spend(this.ready.route);
  }

  failed(failure: UpstreamFailure): void {
    this.call.failed(failure);
    this.tries.failed(this.ready, failure);
  }
}

/** Another credential of the same route may be welcome. */
function isOfCredential({ kind, status }: UpstreamFailure): boolean {
  return (kind === "credentials" && status !== 404) || (kind === "busy" && status === 429);
}

/**
 * Which route and credential one request tries next: by order and weight, what rests only as the
 * last resort, what is open or full not at all.
 */
import type { Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import { sayRefusal } from "../../contract/panel/say-refusal.ts";
import { Fault } from "../../kernel/faults.ts";
import { chooseRoutes } from "./choose-routes.ts";
import type { RouteCall, CircuitBreakers } from "./circuit-breakers.ts";
import { brokenAnswer, faultOfFailure } from "./upstream-failure.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";
import type { Permit, ConcurrencyLimiter } from "./concurrency-limiter.ts";

export interface RouteSelectionDeps {
  readonly health: CircuitBreakers;
  readonly places: ConcurrencyLimiter;
  /** Numbers in [0, 1). */
  random(): number;
}

/** A route with what it takes to call it, made ready once for all requests. */
export interface ReadyRoute {
  readonly route: Route;
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
export function readyRoute(
  route: Route,
  upstream: UpstreamConfig,
  credential: (name: string) => string | undefined,
): ReadyRoute {
  const credentials = upstream.apiKeyEnv.flatMap((name) => {
    const value = credential(name);
    return value === undefined ? [] : [{ name, value }];
  });
  return { route, upstream, credentials, order: route.order, weight: route.weight };
}

/** One call to make. Exactly one of its outcomes is told, before the next try is asked for. */
export interface RouteTry<Ready extends ReadyRoute = ReadyRoute> extends RouteCall, Permit {
  readonly ready: Ready;
  /** Its value, not its name. */
  readonly credential: string;
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
const FULL_RETRY_MS = 1_000;

/**
 * `onSkipped` hears of every route that is passed over without a call, and why, for the receipt.
 */
export function createRouteSelection<Ready extends ReadyRoute>(
  deps: RouteSelectionDeps,
  routes: readonly Ready[],
  onSkipped: (route: Route, reason: string) => void,
): RouteSelection<Ready> {
  return new Tries(deps, chooseRoutes(routes, deps.random), onSkipped);
}

class Tries<Ready extends ReadyRoute> implements RouteSelection<Ready> {
  private readonly deps: RouteSelectionDeps;
  private readonly routes: readonly Ready[];
  private readonly onSkipped: (route: Route, reason: string) => void;
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
  private spent: Route[] | null = null;
  private tries = 0;
  private over = false;
  /** Of the last call. */
  private failure: UpstreamFailure | null = null;
  /** Of the last route whose protocol has no word for the request. */
  private unsaid: UpstreamFailure | null = null;
  private unusable = "the model has no route that could be tried";
  /** Until the first route that is open or full can be tried; null while there is none. */
  private retryInMs: number | null = null;
  /** Passed over as soon as another is tried. */
  private resting: Route[] | null = null;

  constructor(
    deps: RouteSelectionDeps,
    routes: readonly Ready[],
    onSkipped: (route: Route, reason: string) => void,
  ) {
    this.deps = deps;
    this.routes = routes;
    this.onSkipped = onSkipped;
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
    if (this.retryInMs === null) return faultOfFailure(this.unsaid ?? brokenAnswer(this.unusable));
    return new Fault("overloaded", {
      ...sayRefusal("upstreams_busy"),
      retryAfterSeconds: Math.max(1, Math.ceil(this.retryInMs / 1000)),
    });
  }

  /** What became of a try that failed decides what is tried after it. */
  failed({ route }: Ready, told: UpstreamFailure): void {
    if (told.kind === "untranslatable") this.unsaid = told;
    else this.failure = told;
    if (told.kind === "caller" || told.kind === "gateway") this.over = true;
    if (!isOfCredential(told)) (this.spent ??= []).push(route);
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
      this.unusable = `no credential of ${upstream.name} is set (${upstream.apiKeyEnv.join(", ")})`;
      this.onSkipped(route, this.unusable);
    }
    this.credentialIndex = 0;
    this.restedHere = 0;
    return this.deps.health.credentialsInTurn(upstream.name, credentials);
  }

  private leave({ route, credentials }: Ready): void {
    if (this.restedHere > 0 && this.restedHere === credentials.length)
      (this.resting ??= []).push(route);
    this.credentials = null;
    this.routeIndex += 1;
  }

  private nextOfLastResort(): RouteTry<Ready> | null {
    this.resting = null;
    while (this.lastResort !== null && this.lastResortIndex < this.lastResort.length) {
      const last = this.lastResort[this.lastResortIndex++];
      const made = last === undefined ? null : this.begin(last.ready, last.credential);
      if (made !== null) return made;
    }
    return null;
  }

  private begin(ready: Ready, { name, value }: Credential): RouteTry<Ready> | null {
    const { health, places } = this.deps;
    const { route, upstream } = ready;
    if (this.spent?.includes(route) === true) return null;
    const view = health.route(route);
    if (view.kind === "open") return this.skip(route, "its circuit is open", view.retryInMs);
    const place = places.take(upstream, route);
    if (place === null) return this.skip(route, "every place is taken", FULL_RETRY_MS);
    const call = health.begin(route, name);
    this.tries += 1;
    if (this.resting !== null)
      for (const passedOver of this.resting) this.onSkipped(passedOver, "it rests after failures");
    this.resting = null;
    return new Try(this, ready, value, place, call);
  }

  private skip(route: Route, reason: string, waitMs: number): null {
    (this.spent ??= []).push(route);
    this.retryInMs = Math.min(this.retryInMs ?? Infinity, waitMs);
    this.onSkipped(route, reason);
    return null;
  }
}

class Try<Ready extends ReadyRoute> implements RouteTry<Ready> {
  readonly ready: Ready;
  readonly credential: string;
  private readonly tries: Tries<Ready>;
  private readonly place: Permit;
  private readonly call: RouteCall;

  constructor(
    tries: Tries<Ready>,
    ready: Ready,
    credential: string,
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

  failed(failure: UpstreamFailure): void {
    this.call.failed(failure);
    this.tries.failed(this.ready, failure);
  }
}

/** Another credential of the same route may be welcome. */
function isOfCredential({ kind, status }: UpstreamFailure): boolean {
  return (kind === "credentials" && status !== 404) || (kind === "busy" && status === 429);
}

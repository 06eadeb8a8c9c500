/** Which route and credential one request tries next: by order and weight, what rests only as the last resort, what is open or full not at all. */
import type { Catalogue, Route, UpstreamConfig } from "../../catalogue/catalogue.ts";
import { Fault } from "../../kernel/faults.ts";
import { chooseRoutes } from "./choose-routes.ts";
import type { RouteHealth } from "./route-health.ts";
import { brokenAnswer, faultOfFailure } from "./upstream-failure.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";
import type { UpstreamPlaces } from "./upstream-places.ts";

export interface RouteTriesDeps {
  readonly health: RouteHealth;
  readonly places: UpstreamPlaces;
  /** The value of a credential that the catalogue names; undefined when it is not set. */
  credential(name: string): string | undefined;
  /** Numbers in [0, 1). */
  random(): number;
}

/** One call to make. Exactly one of its outcomes is told, before the next try is asked for. */
export interface RouteTry {
  readonly route: Route;
  readonly upstream: UpstreamConfig;
  /** Its value, not its name. */
  readonly credential: string;
  /** Gives the place at the upstream back; where there is an answer, at its end. */
  release(): void;
  succeeded(): void;
  failed(failure: UpstreamFailure): void;
  /** We gave it up: it says nothing of the route. */
  abandoned(): void;
}

export interface RouteTries {
  /** Null when nothing is left to be tried, or enough was. */
  next(): RouteTry | null;
  /** What the caller is told when nothing answered. */
  fault(): Fault;
}

/** So many calls of upstreams may one request cost. */
const MOST_TRIES = 6;
const FULL_RETRY_MS = 1_000;

/** `onSkipped` hears of every route that is passed over without a call, and why, for the receipt. */
export function createRouteTries(
  deps: RouteTriesDeps,
  routes: readonly Route[],
  catalogue: Catalogue,
  onSkipped: (route: Route, reason: string) => void,
): RouteTries {
  const { health, places } = deps;
  /** Routes on which no other credential would help. */
  const spent = new Set<Route>();
  let tries = 0;
  let over = false;
  /** Of the last call. */
  let failure: UpstreamFailure | null = null;
  /** Of the last route whose protocol has no word for the request. */
  let unsaid: UpstreamFailure | null = null;
  let unusable = "the model has no route that could be tried";
  /** Until the first route that is open or full can be tried; null while there is none. */
  let retryInMs: number | null = null;
  /** Passed over as soon as another is tried. */
  let resting: Route[] = [];

  function skip(route: Route, reason: string, waitMs: number): void {
    spent.add(route);
    retryInMs = Math.min(retryInMs ?? Infinity, waitMs);
    onSkipped(route, reason);
  }

  function* attempt(route: Route, upstream: UpstreamConfig, name: string): Generator<RouteTry, void> {
    const credential = deps.credential(name);
    if (credential === undefined || spent.has(route)) return;
    const view = health.route(route);
    if (view.kind === "open") return skip(route, "its circuit is open", view.retryInMs);
    const release = places.take(upstream, route);
    if (release === null) return skip(route, "every place is taken", FULL_RETRY_MS);
    const { succeeded, failed, abandoned } = health.begin(route, name);
    tries += 1;
    for (const passedOver of resting) onSkipped(passedOver, "it rests after failures");
    resting = [];
    yield {
      route,
      upstream,
      credential,
      release,
      succeeded,
      abandoned,
      failed(told) {
        failed(told);
        if (told.kind === "untranslatable") unsaid = told;
        else failure = told;
        if (told.kind === "caller") over = true;
        if (!isOfCredential(told)) spent.add(route);
      },
    };
  }

  function* everyTry(): Generator<RouteTry, void> {
    const lastResort: Generator<RouteTry, void>[] = [];
    for (const route of chooseRoutes(routes, deps.random)) {
      const upstream = catalogue.upstreams.get(route.upstream);
      if (upstream === undefined) continue;
      const names = upstream.apiKeyEnv.filter((name) => deps.credential(name) !== undefined);
      if (names.length === 0) {
        unusable = `no credential of ${upstream.name} is set (${upstream.apiKeyEnv.join(", ")})`;
        onSkipped(route, unusable);
      }
      const rested: Generator<RouteTry, void>[] = [];
      for (const name of health.credentialsInTurn(upstream.name, names)) {
        if (health.route(route).kind === "resting" || health.credentialRests(upstream.name, name)) {
          rested.push(attempt(route, upstream, name));
          continue;
        }
        yield* attempt(route, upstream, name);
      }
      if (rested.length > 0 && rested.length === names.length) resting.push(route);
      lastResort.push(...rested);
    }
    resting = [];
    for (const each of lastResort) yield* each;
  }

  const all = everyTry();
  return {
    next() {
      if (over || tries >= MOST_TRIES) return null;
      const { value, done } = all.next();
      return done === true ? null : value;
    },

    fault() {
      if (failure !== null) return faultOfFailure(failure);
      if (retryInMs === null) return faultOfFailure(unsaid ?? brokenAnswer(unusable));
      return new Fault("overloaded", {
        message: "Every upstream of this model is failing or busy at the moment. Try again.",
        retryAfterSeconds: Math.max(1, Math.ceil(retryInMs / 1000)),
      });
    },
  };
}

/** Another credential of the same route may be welcome. */
function isOfCredential({ kind, status }: UpstreamFailure): boolean {
  return (kind === "credentials" && status !== 404) || (kind === "busy" && status === 429);
}

/**
 * What this process remembers of how routes and credentials fare: which rest, which are open, which
 * may be probed (contract §5).
 */
import type { Catalogue, Model, Route } from "../../catalogue/catalogue.ts";
import { BREAKER_STATES } from "../../contract/enums/breaker-state.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Backoff } from "../../kernel/backoff.ts";
import type { CircuitBreaker, CircuitView } from "./circuit-breaker.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";
import type { FailureRules } from "./failure-rules.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";

export type RouteName = Pick<Route, "upstream" | "model">;

/** What an operator took out of use. */
export interface RouteOut {
  readonly upstream: string;
  /** The upstream's own model, as the catalogue has it; null: every route to the upstream. */
  readonly model: string | null;
  /** For how long from now on. */
  readonly leftMs: number;
}

/**
 * What an operator wants to hear of, once per trouble. Credentials go by their name in the
 * catalogue.
 */
export type CircuitEvent =
  | {
      readonly kind: "opened";
      readonly upstream: string;
      readonly model: string;
      readonly failures: number;
      readonly status: number | null;
    }
  | {
      readonly kind: "closed";
      readonly upstream: string;
      readonly model: string;
      readonly failures: number;
    }
  | {
      readonly kind: "credential-refused";
      readonly upstream: string;
      readonly credential: string;
      readonly status: number | null;
    };

/** One call under way. Exactly one of these is called, once. */
export interface RouteCall {
  succeeded(): void;
  failed(failure: UpstreamFailure): void;
  /** We gave it up, or it never was sent: it says nothing of the route. */
  abandoned(): void;
}

export interface CircuitBreakers {
  route(route: RouteName): CircuitView;
  credentialRests(upstream: string, credential: string): boolean;
  /** Null: it does not rest. */
  restOfCredential(upstream: string, credential: string): CredentialRest | null;
  /** All of them, each call beginning one further, so that they share the load. */
  credentialsInTurn<T>(upstream: string, credentials: readonly T[]): readonly T[];
  begin(route: RouteName, credential: string, rules: FailureRules): RouteCall;
  /** Its upstream asked for so long a pause where it was not called by a route. */
  credentialBusy(upstream: string, credential: string, ms: number, rules: FailureRules): void;
  /**
   * From now on these are out, and no others: they are not called, whatever is known of them. Each
   * comes back by itself when its time is over, whether or not this is called again.
   */
  takeOut(out: readonly RouteOut[]): void;
  /**
   * Forgets whatever is not in this catalogue; does nothing for the one that it had the last time.
   */
  keepOnly(catalogue: Catalogue): void;
  /**
   * Of every route of the catalogue that this process calls, by `upstream/model`: 0 closed, 1
   * resting, 2 open.
   */
  states(): ReadonlyMap<string, number>;
}

export interface CredentialRest {
  readonly retryInMs: number;
  /** `probed`: it was refused, and a call is under way that may find it mended. */
  readonly why: "busy" | "refused" | "probed";
}

export interface CircuitBreakersDeps {
  readonly clock: Clock;
  /** The kinds of models whose routes this process calls. */
  readonly kinds: ReadonlySet<Model["type"]>;
  onCircuit(event: CircuitEvent): void;
}

/** Where a busy upstream does not say how long. */
const BUSY_MS = 1_000;
/** How soon to ask again for a route that is out: an operator may put it back before its time. */
const OUT_RETRY_MS = 60_000;

const READY: CircuitView = { kind: "ready" };

export function createCircuitBreakers(deps: CircuitBreakersDeps): CircuitBreakers {
  const memory: Memory = { ...deps, routes: new Map(), credentials: new Map() };
  const { routes, credentials } = memory;
  const turns = new Map<string, number>();
  /** Until when, by route; an upstream's own key is its name without a model. */
  let outUntilMs: ReadonlyMap<string, number> = new Map();
  let known: readonly RouteName[] = [];
  let kept: Catalogue | null = null;

  function outView({ upstream, model }: RouteName): CircuitView | null {
    if (outUntilMs.size === 0) return null;
    const untilMs = Math.max(
      outUntilMs.get(keyOf(upstream, model)) ?? -Infinity,
      outUntilMs.get(keyOf(upstream, "")) ?? -Infinity,
    );
    const leftMs = untilMs - deps.clock.monotonicMs();
    if (leftMs <= 0) return null;
    return { kind: "open", takenOut: true, retryInMs: Math.min(leftMs, OUT_RETRY_MS) };
  }

  return {
    begin: (name, credential, rules) => new Call(memory, name, credential, rules),
    route: (name) => outView(name) ?? find(routes, name.upstream, name.model)?.view() ?? READY,
    credentialRests: (upstream, credential) =>
      find(credentials, upstream, credential)?.view().kind === "resting",

    restOfCredential(upstream, credential) {
      const breaker = find(credentials, upstream, credential);
      const view = breaker?.view() ?? READY;
      if (breaker === undefined || view.kind === "ready") return null;
      const probed = view.kind === "resting" && view.probed;
      const why = breaker.failures === 0 ? "busy" : probed ? "probed" : "refused";
      return { retryInMs: view.retryInMs, why };
    },

    credentialBusy(upstream, credential, ms, { longestBusyMs }) {
      const key = keyOf(upstream, credential);
      breakerIn(credentials, key, deps.clock).pause(Math.min(ms, longestBusyMs));
    },

    credentialsInTurn(upstream, all) {
      if (all.length < 2) return all;
      const turn = (turns.get(upstream) ?? 0) % all.length;
      turns.set(upstream, turn + 1);
      return [...all.slice(turn), ...all.slice(0, turn)];
    },

    takeOut(out) {
      const nowMs = deps.clock.monotonicMs();
      outUntilMs = new Map(
        out.map(({ upstream, model, leftMs }) => [keyOf(upstream, model ?? ""), nowMs + leftMs]),
      );
    },

    keepOnly(catalogue) {
      if (catalogue === kept) return;
      kept = catalogue;
      known = [...catalogue.models.values()].flatMap(
        ({ type, routes: own }): readonly RouteName[] => (deps.kinds.has(type) ? own : []),
      );
      keep(routes, new Set(known.map(({ upstream, model }) => keyOf(upstream, model))));
      const upstreams = [...catalogue.upstreams.values()];
      keep(
        credentials,
        new Set(
          upstreams.flatMap(({ name, apiKeyEnv }) =>
            apiKeyEnv.map((credential) => keyOf(name, credential)),
          ),
        ),
      );
      keep(turns, new Set(catalogue.upstreams.keys()));
    },

    states: () =>
      new Map(
        known.map(({ upstream, model }) => [
          `${upstream}/${model}`,
          BREAKER_STATES.indexOf(find(routes, upstream, model)?.state ?? "closed"),
        ]),
      ),
  };
}

interface Memory extends CircuitBreakersDeps {
  /** Only what has failed since it last worked stands here: in good times nothing does. */
  readonly routes: Map<string, CircuitBreaker>;
  readonly credentials: Map<string, CircuitBreaker>;
}

class Call implements RouteCall {
  private readonly memory: Memory;
  private readonly name: RouteName;
  private readonly credential: string;
  private readonly rules: FailureRules;
  private readonly probedRoute: CircuitBreaker | undefined;
  private readonly probedCredential: CircuitBreaker | undefined;
  private readonly routeProbe: boolean;
  private readonly credentialProbe: boolean;

  constructor(memory: Memory, name: RouteName, credential: string, rules: FailureRules) {
    this.memory = memory;
    this.name = name;
    this.credential = credential;
    this.rules = rules;
    this.probedRoute = find(memory.routes, name.upstream, name.model);
    this.probedCredential = find(memory.credentials, name.upstream, credential);
    this.routeProbe = this.probedRoute?.begin() === true;
    this.credentialProbe = this.probedCredential?.begin() === true;
  }

  succeeded(): void {
    const { memory, name, credential } = this;
    if (memory.credentials.size > 0) memory.credentials.delete(keyOf(name.upstream, credential));
    const route = find(memory.routes, name.upstream, name.model);
    if (route === undefined) return;
    memory.routes.delete(keyOf(name.upstream, name.model));
    if (route.state === "open")
      memory.onCircuit({ kind: "closed", ...nameOf(name), failures: route.failures });
  }

  abandoned(): void {
    this.probedRoute?.ended(this.routeProbe);
    this.probedCredential?.ended(this.credentialProbe);
  }

  failed(failure: UpstreamFailure): void {
    // Whatever became of it, the next may probe.
    this.abandoned();
    const { kind, status } = failure;
    const { restAfter, brokenPauses, refusedPauses, refusalIsFailure } = this.rules;
    switch (kind) {
      case "caller":
        return this.succeeded();
      case "busy":
        return this.busy(failure);
      case "credentials":
        if (status === 404) return this.routeFailed(status, 1, refusedPauses);
        this.credentialRefused(status);
        return refusalIsFailure ? this.routeFailed(status, restAfter, brokenPauses) : undefined;
      case "timeout":
      case "broken":
        return this.routeFailed(status, restAfter, brokenPauses);
      case "untranslatable":
      case "gateway":
        // No upstream was called.
        break;
    }
  }

  private routeFailed(status: number | null, restAfter: number, pauses: Backoff): void {
    const route = this.routeBreaker();
    const probe = this.routeProbe && route === this.probedRoute;
    const wasOpen = route.state === "open";
    route.failed(probe, restAfter, pauses);
    if (wasOpen ? !probe : route.failures < this.rules.openAfter) return;
    route.breakOpen(this.rules.openPauses);
    if (!wasOpen)
      this.memory.onCircuit({
        kind: "opened",
        ...nameOf(this.name),
        failures: route.failures,
        status,
      });
  }

  private credentialRefused(status: number | null): void {
    const breaker = this.credentialBreaker();
    breaker.failed(
      this.credentialProbe && breaker === this.probedCredential,
      1,
      this.rules.refusedPauses,
    );
    const { credential, name } = this;
    if (breaker.failures === 1)
      this.memory.onCircuit({
        kind: "credential-refused",
        upstream: name.upstream,
        credential,
        status,
      });
  }

  private busy({ status, retryAfterSeconds }: UpstreamFailure): void {
    const ms =
      retryAfterSeconds === null
        ? BUSY_MS
        : Math.min(retryAfterSeconds * 1000, this.rules.longestBusyMs);
    // 429 is about our credential, 503 and 529 are about the route.
    if (status === 429) this.credentialBreaker().pause(ms);
    else this.routeBreaker().pause(ms);
    find(this.memory.routes, this.name.upstream, this.name.model)?.stayOpen(ms);
  }

  private routeBreaker(): CircuitBreaker {
    return breakerIn(
      this.memory.routes,
      keyOf(this.name.upstream, this.name.model),
      this.memory.clock,
    );
  }

  private credentialBreaker(): CircuitBreaker {
    return breakerIn(
      this.memory.credentials,
      keyOf(this.name.upstream, this.credential),
      this.memory.clock,
    );
  }
}

function breakerIn(
  breakers: Map<string, CircuitBreaker>,
  key: string,
  clock: Clock,
): CircuitBreaker {
  const breaker = breakers.get(key) ?? createCircuitBreaker(clock);
  breakers.set(key, breaker);
  return breaker;
}

/** Makes no key where nothing has failed. */
function find(
  breakers: ReadonlyMap<string, CircuitBreaker>,
  upstream: string,
  name: string,
): CircuitBreaker | undefined {
  return breakers.size === 0 ? undefined : breakers.get(keyOf(upstream, name));
}

function nameOf({ upstream, model }: RouteName): RouteName {
  return { upstream, model };
}

/** Names of upstreams have no line breaks. */
function keyOf(upstream: string, name: string): string {
  return `${upstream}\n${name}`;
}

function keep(map: Map<string, unknown>, wanted: ReadonlySet<string>): void {
  for (const key of map.keys()) if (!wanted.has(key)) map.delete(key);
}

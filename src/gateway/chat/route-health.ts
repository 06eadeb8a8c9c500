/** What this process remembers of how routes and credentials fare: which rest, which are open, which may be probed (contract §5). */
import type { Catalogue, Route } from "../../catalogue/catalogue.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Pauses, Standing, StandingView } from "./standing.ts";
import { createStanding } from "./standing.ts";
import type { UpstreamFailure } from "./upstream-failure.ts";

export type RouteName = Pick<Route, "upstream" | "model">;

/** What an operator wants to hear of, once per trouble. Credentials go by their name in the catalogue. */
export type CircuitEvent =
  | {
      readonly kind: "opened";
      readonly upstream: string;
      readonly model: string;
      readonly failures: number;
      readonly status: number | null;
    }
  | { readonly kind: "closed"; readonly upstream: string; readonly model: string; readonly failures: number }
  | { readonly kind: "credential-refused"; readonly upstream: string; readonly credential: string; readonly status: number | null };

/** One call under way. Exactly one of these is called, once. */
export interface RouteCall {
  succeeded(): void;
  failed(failure: UpstreamFailure): void;
  /** We gave it up, or it never was sent: it says nothing of the route. */
  abandoned(): void;
}

export interface RouteHealth {
  route(route: RouteName): StandingView;
  credentialRests(upstream: string, credential: string): boolean;
  /** All of them, each call beginning one further, so that they share the load. */
  credentialsInTurn(upstream: string, credentials: readonly string[]): readonly string[];
  begin(route: RouteName, credential: string): RouteCall;
  /** Forgets whatever is not in this catalogue; does nothing for the one that it had the last time. */
  keepOnly(catalogue: Catalogue): void;
  /** Of every chat route of the catalogue, by `upstream/model`: 0 closed, 1 resting, 2 open. */
  states(): ReadonlyMap<string, number>;
}

export interface RouteHealthDeps {
  readonly clock: Clock;
  onCircuit(event: CircuitEvent): void;
}

/** Broken, silent or refused so often in a row, a route rests. */
const REST_AFTER = 3;
/** And so often in a row it is not called at all any more. */
const OPEN_AFTER = 20;
const BROKEN_PAUSES: Pauses = { firstMs: 5_000, longestMs: 60_000 };
/** A refused credential and a model that the upstream does not know are mended by people. */
const REFUSED_PAUSES: Pauses = { firstMs: 30_000, longestMs: 600_000 };
const OPEN_PAUSES: Pauses = { firstMs: 1_000, longestMs: 30_000 };
/** Where a busy upstream does not say how long. */
const BUSY_MS = 1_000;
const LONGEST_BUSY_MS = 60_000;
const STATE_NUMBERS = { closed: 0, resting: 1, open: 2 } as const;

export function createRouteHealth(deps: RouteHealthDeps): RouteHealth {
  const { clock } = deps;
  /** Only what has failed since it last worked stands here. */
  const routes = new Map<string, Standing>();
  const credentials = new Map<string, Standing>();
  const turns = new Map<string, number>();
  let known: readonly RouteName[] = [];
  let kept: Catalogue | null = null;

  function standingIn(standings: Map<string, Standing>, key: string): Standing {
    const standing = standings.get(key) ?? createStanding(clock);
    standings.set(key, standing);
    return standing;
  }

  function begin(name: RouteName, credential: string): RouteCall {
    const routeKey = keyOf(name.upstream, name.model);
    const credentialKey = keyOf(name.upstream, credential);
    const probed = { route: routes.get(routeKey), credential: credentials.get(credentialKey) };
    const routeProbe = probed.route?.begin() === true;
    const credentialProbe = probed.credential?.begin() === true;

    function endProbes(): void {
      probed.route?.ended(routeProbe);
      probed.credential?.ended(credentialProbe);
    }

    function succeeded(): void {
      const route = routes.get(routeKey);
      routes.delete(routeKey);
      credentials.delete(credentialKey);
      if (route?.state === "open") deps.onCircuit({ kind: "closed", ...nameOf(name), failures: route.failures });
    }

    function routeFailed(status: number | null, restAfter: number, pauses: Pauses): void {
      const route = standingIn(routes, routeKey);
      const probe = routeProbe && route === probed.route;
      const wasOpen = route.state === "open";
      route.failed(probe, restAfter, pauses);
      if (wasOpen ? !probe : route.failures < OPEN_AFTER) return;
      route.breakOpen(OPEN_PAUSES);
      if (!wasOpen) deps.onCircuit({ kind: "opened", ...nameOf(name), failures: route.failures, status });
    }

    function credentialRefused(status: number | null): void {
      const standing = standingIn(credentials, credentialKey);
      standing.failed(credentialProbe && standing === probed.credential, 1, REFUSED_PAUSES);
      if (standing.failures === 1) deps.onCircuit({ kind: "credential-refused", upstream: name.upstream, credential, status });
    }

    function busy({ status, retryAfterSeconds }: UpstreamFailure): void {
      const ms = retryAfterSeconds === null ? BUSY_MS : Math.min(retryAfterSeconds * 1000, LONGEST_BUSY_MS);
      // 429 is about whoever asks, 503 and 529 about whoever is asked.
      if (status === 429) standingIn(credentials, credentialKey).pause(ms);
      else standingIn(routes, routeKey).pause(ms);
      routes.get(routeKey)?.stayOpen(ms);
    }

    return {
      succeeded,
      abandoned: endProbes,
      failed(failure) {
        endProbes();
        const { kind, status } = failure;
        switch (kind) {
          case "caller":
            return succeeded();
          case "busy":
            return busy(failure);
          case "credentials":
            if (status === 404) return routeFailed(status, 1, REFUSED_PAUSES);
            credentialRefused(status);
            return routeFailed(status, REST_AFTER, BROKEN_PAUSES);
          case "timeout":
          case "broken":
            return routeFailed(status, REST_AFTER, BROKEN_PAUSES);
          case "untranslatable":
            // Nobody was called.
            break;
        }
      },
    };
  }

  return {
    begin,
    route: ({ upstream, model }) => routes.get(keyOf(upstream, model))?.view() ?? { kind: "ready" },
    credentialRests: (upstream, credential) => credentials.get(keyOf(upstream, credential))?.view().kind === "resting",

    credentialsInTurn(upstream, names) {
      if (names.length < 2) return names;
      const turn = (turns.get(upstream) ?? 0) % names.length;
      turns.set(upstream, turn + 1);
      return [...names.slice(turn), ...names.slice(0, turn)];
    },

    keepOnly(catalogue) {
      if (catalogue === kept) return;
      kept = catalogue;
      known = [...catalogue.models.values()].flatMap((model) => (model.type === "chat" ? model.routes : []));
      keep(routes, new Set(known.map(({ upstream, model }) => keyOf(upstream, model))));
      const upstreams = [...catalogue.upstreams.values()];
      keep(credentials, new Set(upstreams.flatMap(({ name, apiKeyEnv }) => apiKeyEnv.map((credential) => keyOf(name, credential)))));
      keep(turns, new Set(catalogue.upstreams.keys()));
    },

    states: () =>
      new Map(
        known.map(({ upstream, model }) => {
          const state = routes.get(keyOf(upstream, model))?.state ?? "closed";
          return [`${upstream}/${model}`, STATE_NUMBERS[state]];
        }),
      ),
  };
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

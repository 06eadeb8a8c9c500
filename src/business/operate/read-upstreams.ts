/**
 * How upstreams fare over all processes: figures from receipts and tasks, breakers from what each
 * process tells.
 */
import type { CurrentCatalogue } from "../../catalogue/live-catalogue.ts";
import type { Environment } from "../../catalogue/interpolate.ts";
import { BREAKER_STATES } from "../../contract/enums/breaker-state.ts";
import type {
  UpstreamHealth,
  UpstreamRoute,
  UpstreamsReport,
} from "../../contract/panel/operator-upstreams.ts";
import type { Queryable } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { firstIdAt } from "../requests/first-id-at.ts";
import { balanceView } from "./balance-view.ts";
import { readCircuits, type ProcessCircuits } from "./circuits.store.ts";
import { hasMoreThan } from "./dry-run.store.ts";
import { newestFrom } from "./request-hours.store.ts";
import {
  chatErrors,
  chatFigures,
  chatParts,
  taskErrors,
  taskFigures,
  type CallFigures,
} from "./upstreams.store.ts";
import { routesOut, type OutKey, type StoredRouteOut } from "./routes-out.store.ts";
import { storedBalances } from "./upstream-balances.store.ts";
import { figuresOf } from "./upstream-figures.ts";

export interface UpstreamsDeps {
  readonly db: Queryable;
  readonly clock: Pick<Clock, "now">;
  readonly env: Environment;
  readonly catalogue: { current(): CurrentCatalogue };
}

/** Read in well under a second. */
const MOST_REQUESTS = 20_000;
/** The longest life of a task, nearly. */
const TASK_LIFE_MS = 24 * 3_600_000;
/** Into so many parts a window is cut: hours of a day. */
const PARTS = 24;

export async function readUpstreams(
  deps: UpstreamsDeps,
  windowMs: number,
): Promise<UpstreamsReport> {
  const { db, clock, env } = deps;
  const to = clock.now();
  const from = new Date(to.getTime() - windowMs);
  const start = firstIdAt(from);
  const newest = await newestFrom(db, start, MOST_REQUESTS);
  const search = {
    start: firstIdAt(new Date(from.getTime() - TASK_LIFE_MS)),
    newest: MOST_REQUESTS,
    from,
  };
  const partMs = windowMs / PARTS;
  const [chats, tasks, chatFailures, taskFailures, parts, sampled, processes, out, balances] =
    await Promise.all([
      chatFigures(db, newest, MOST_REQUESTS),
      taskFigures(db, search),
      chatErrors(db, newest, MOST_REQUESTS),
      taskErrors(db, search),
      chatParts(db, { start: newest, newest: MOST_REQUESTS, partMs, from }),
      hasMoreThan(db, start, MOST_REQUESTS),
      readCircuits(db),
      routesOut(db),
      storedBalances(db),
    ]);
  const { catalogue } = deps.catalogue.current();
  const calls = [...chats, ...tasks];
  const errors = [...chatFailures, ...taskFailures];
  const routes = knownRoutes(deps, calls).map((route): UpstreamRoute => {
    const own = (each: { upstream: string; upstreamModel: string | null }): boolean =>
      each.upstream === route.upstream && each.upstreamModel === route.upstreamModel;
    return {
      ...route,
      out: outOf(out, route),
      figures: figuresOf(calls.find(own), errors.filter(own)),
      breakers: breakersOf(processes, `${route.upstream}/${route.upstreamModel}`),
    };
  });
  const upstreams = [...catalogue.upstreams.values()].map((upstream): UpstreamHealth => {
    const own = (each: { upstream: string }): boolean => each.upstream === upstream.name;
    const states = routes
      .filter(own)
      .flatMap(({ breakers }) => breakers.map(({ state }) => BREAKER_STATES.indexOf(state)));
    return {
      name: upstream.name,
      protocol: upstream.protocol,
      // A path or a query may come from a variable.
      baseUrl: new URL(upstream.baseUrl).origin,
      credentials: upstream.apiKeyEnv.map((name) => ({ name, set: (env[name] ?? "") !== "" })),
      worst: BREAKER_STATES[Math.max(...states)] ?? null,
      out: outOf(out, { upstream: upstream.name, upstreamModel: null }),
      parts: parts.filter(own).map(({ at, calls: made, failed }) => ({
        at: at.toISOString(),
        calls: Number(made),
        failed: Number(failed),
      })),
      balance: balanceView(upstream, balances),
      figures: figuresOf(
        calls.find((each) => own(each) && each.upstreamModel === null),
        errors.filter(own),
      ),
    };
  });
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    sampled,
    partMs,
    processes: processes.map(({ label, seenAt }) => ({
      process: label,
      seenAt: seenAt.toISOString(),
    })),
    upstreams,
    routes,
  };
}

function outOf(out: readonly StoredRouteOut[], route: OutKey): UpstreamHealth["out"] {
  const found = out.find(
    ({ upstream, upstreamModel }) =>
      upstream === route.upstream && upstreamModel === route.upstreamModel,
  );
  if (found === undefined) return null;
  const { until, reason, takenBy, takenAt } = found;
  return { until: until.toISOString(), reason, takenBy, takenAt: takenAt.toISOString() };
}

type RouteHead = Pick<UpstreamRoute, "upstream" | "upstreamModel" | "kind" | "models" | "inForce">;

/** Those of the catalogue in its order, then those that were called and are in it no more. */
function knownRoutes({ catalogue }: UpstreamsDeps, calls: readonly CallFigures[]): RouteHead[] {
  const routes = new Map<string, RouteHead>();
  const add = (head: RouteHead): void => {
    const key = `${head.upstream}\n${head.upstreamModel}`;
    const known = routes.get(key);
    if (known === undefined) routes.set(key, head);
    else known.models.push(...head.models);
  };
  for (const { id, type, routes: own } of catalogue.current().catalogue.models.values()) {
    for (const { upstream, model } of own)
      add({ upstream, upstreamModel: model, kind: type, models: [id], inForce: true });
  }
  for (const { upstream, upstreamModel, kind } of calls) {
    if (upstreamModel === null) continue;
    const templates = [...routes.values()].filter(
      (route) => route.upstream === upstream && isMadeOf(route.upstreamModel, upstreamModel),
    );
    const models = templates.flatMap((template) => template.models);
    add({ upstream, upstreamModel, kind, models, inForce: false });
  }
  return [...routes.values()];
}

/**
 * `hailuo/{variant}/clip` stands in the catalogue, `hailuo/pro/clip` is called: the parameters of
 * each task fill the places.
 */
function isMadeOf(template: string, upstreamModel: string): boolean {
  const parts = template.split(/\{[^{}]*\}/);
  return (
    parts.length > 1 &&
    new RegExp(`^${parts.map((part) => RegExp.escape(part)).join(".+")}$`).test(upstreamModel)
  );
}

function breakersOf(
  processes: readonly ProcessCircuits[],
  route: string,
): UpstreamRoute["breakers"] {
  return processes.flatMap(({ label, routes }) => {
    const state = routes[route];
    return state === undefined
      ? []
      : [{ process: label, state: BREAKER_STATES[state] ?? "closed" }];
  });
}

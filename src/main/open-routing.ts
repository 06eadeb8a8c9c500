/**
 * Composition of routing: one memory per process of how routes fare and of the calls that run, for
 * chats and submissions of tasks alike; and where operators see it.
 */
import { createCircuitTeller } from "../business/operate/report-circuits.ts";
import type { LiveCatalogue } from "../catalogue/live-catalogue.ts";
import type { Queryable } from "../db/database.ts";
import type { Metrics } from "../http/metrics.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Uuid } from "../kernel/ids.ts";
import {
  createCircuitBreakers,
  type CircuitBreakers,
  type CircuitEvent,
} from "../serving/routing/circuit-breakers.ts";
import {
  createConcurrencyLimiter,
  type ConcurrencyLimiter,
} from "../serving/routing/concurrency-limiter.ts";
import { every } from "./every.ts";
import type { Log } from "../log/log.ts";

export interface RoutingDeps {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "watch">;
  /** This process, and what it does: the api calls chats, the worker tasks. */
  readonly ownerId: Uuid;
  readonly roles: ReadonlySet<"api" | "worker">;
  readonly catalogue: Pick<LiveCatalogue, "current">;
  onError(what: string): (error: unknown) => void;
}

export interface Routing {
  readonly health: CircuitBreakers;
  readonly places: ConcurrencyLimiter;
  close(): Promise<void>;
}

const KEEP_MS = 250;
/** Several of them fit into the time for which a process is believed. */
const TELL_MS = 5_000;

export function openRouting(deps: RoutingDeps): Routing {
  const { db, clock, log, metrics, ownerId, roles, catalogue, onError } = deps;
  const kinds = new Set<"chat" | "task">();
  if (roles.has("api")) kinds.add("chat");
  if (roles.has("worker")) kinds.add("task");
  const health = createCircuitBreakers({ clock, kinds, onCircuit: reportCircuit(log) });
  metrics.watch({
    name: "route_circuit",
    help: "Of each route (upstream/model): 0 closed, 1 resting after failures, 2 open.",
    label: "route",
    together: "max",
    read: () => health.states(),
  });
  const keep = (): void => health.keepOnly(catalogue.current().catalogue);
  keep();
  const keeping = every(KEEP_MS, keep, onError("routes that are gone could not be forgotten"));
  const teller = createCircuitTeller({
    db,
    processId: ownerId,
    routeStates: () => health.states(),
  });
  const telling = every(
    TELL_MS,
    () => teller.tell(),
    onError("what this process thinks of its routes could not be told"),
  );
  return {
    health,
    places: createConcurrencyLimiter(),
    async close() {
      await Promise.all([keeping.stop(), telling.stop()]);
      await teller.forget().catch(onError("this process could not be forgotten"));
    },
  };
}

/** Names and figures, never a credential's value. */
function reportCircuit(log: Log): (event: CircuitEvent) => void {
  return ({ kind, ...about }) => {
    switch (kind) {
      case "opened":
        return log.warn(
          about,
          "a route failed too often in a row; it is not called until a probe finds that it works",
        );
      case "closed":
        return log.info(about, "a route works again");
      case "credential-refused":
        return log.warn(
          about,
          "an upstream refused a credential; it rests, and others are tried instead",
        );
    }
  };
}

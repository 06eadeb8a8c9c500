/**
 * Composition of routing: one memory per process of how routes fare and of the calls that run, for
 * chats and submissions of tasks alike; where operators see it, and what they took out.
 */
import { createCircuitTeller } from "../business/operate/report-circuits.ts";
import { routesOut } from "../business/operate/routes-out.store.ts";
import { reportCircuit, watchCircuits } from "../http/report-circuits.ts";
import { repeat } from "../process/repeat.ts";
import {
  createCircuitBreakers,
  type CircuitBreakers,
} from "../serving/routing/circuit-breakers.ts";
import {
  createConcurrencyLimiter,
  type ConcurrencyLimiter,
} from "../serving/routing/concurrency-limiter.ts";
import type { Parts } from "./parts.ts";

export interface Routing {
  readonly health: CircuitBreakers;
  readonly places: ConcurrencyLimiter;
  close(): Promise<void>;
}

const KEEP_MS = 250;
/** Several of them fit into the time for which a process is believed. */
const TELL_MS = 5_000;
/** How late a process learns what operators took out or put back. */
const OUT_MS = 1_000;

/** Resolves when it is known which routes are out: none of them is called by a fresh process. */
export async function openRouting(parts: Parts): Promise<Routing> {
  const { db, clock, log, metrics, ownerId, roles, catalogue, onError } = parts;
  const kinds = new Set<"chat" | "task">();
  // Lines of batches are chats of the worker.
  kinds.add("chat");
  if (roles.has("worker")) kinds.add("task");
  const health = createCircuitBreakers({ clock, kinds, onCircuit: reportCircuit(log) });
  watchCircuits(metrics, health);
  const keep = (): void => health.keepOnly(catalogue.current().catalogue);
  keep();
  let known = "[]";
  const lookOut = async (): Promise<void> => {
    const out = await routesOut(db);
    health.takeOut(
      out.map(({ upstream, upstreamModel, leftMs }) => ({
        upstream,
        model: upstreamModel,
        leftMs,
      })),
    );
    const names = out.map(({ upstream, upstreamModel }) => ({ upstream, model: upstreamModel }));
    if (JSON.stringify(names) === known) return;
    known = JSON.stringify(names);
    log.info({ out: names }, "operators took routes out, or put them back");
  };
  await lookOut();
  const teller = createCircuitTeller({
    db,
    processId: ownerId,
    routeStates: () => health.states(),
  });
  const repeater = repeat(onError, {
    "routes that are gone could not be forgotten": [KEEP_MS, keep],
    "what operators took out could not be read": [OUT_MS, lookOut],
    "what this process thinks of its routes could not be told": [TELL_MS, () => teller.tell()],
  });
  return {
    health,
    places: createConcurrencyLimiter(),
    async close() {
      await repeater.stop();
      await teller
        .forget()
        .catch((error: unknown) => onError("this process could not be forgotten", error));
    },
  };
}

/** Tells the log of circuits that open and close, and the metrics how each route stands. */
import type { CircuitBreakers, CircuitEvent } from "../serving/routing/circuit-breakers.ts";
import type { Metrics } from "./metrics.ts";
import type { RequestLogger } from "./request-log.ts";

/** Names and figures, never a credential's value. */
export function reportCircuit(
  log: Pick<RequestLogger, "info" | "warn">,
): (event: CircuitEvent) => void {
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

export function watchCircuits(
  metrics: Pick<Metrics, "watch">,
  health: Pick<CircuitBreakers, "states">,
): void {
  metrics.watch({
    name: "route_circuit",
    help: "Of each route (upstream/model): 0 closed, 1 resting after failures, 2 open.",
    label: "route",
    together: "max",
    read: () => health.states(),
  });
}

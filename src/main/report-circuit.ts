/**
 * Tells the log when a circuit opens or closes and when an upstream refuses a credential: names and
 * figures, never a credential's value.
 */
import type { CircuitEvent } from "../serving/routing/circuit-breakers.ts";
import type { Log } from "../log/log.ts";

export function reportCircuit(log: Log): (event: CircuitEvent) => void {
  return ({ kind, ...about }) => {
    switch (kind) {
      case "opened":
        log.warn(
          about,
          "a route failed too often in a row; it is not called until a probe finds that it works",
        );
        break;
      case "closed":
        log.info(about, "a route works again");
        break;
      case "credential-refused":
        log.warn(about, "an upstream refused a credential; it rests, and others are tried instead");
        break;
    }
  };
}

/**
 * Composition of what a process does with more requests than it can serve: the gates, the pace of
 * refusals, and their figures.
 */
import { GATE_NAMES } from "../contract/enums/gate-name.ts";
import { countBy } from "../http/count-by.ts";
import { createGates, ROOM, type Gates } from "../http/gates.ts";
import type { Metrics } from "../http/metrics.ts";
import { createRefusalThrottle, type RefusalThrottle } from "../http/refusal-throttle.ts";

export interface OpenGates {
  readonly routed: Gates;
  /** The load shedder of chat is made with it; what it refuses is answered and counted here. */
  readonly chatRefusals: Pick<RefusalThrottle, "refuse">;
}

export function openGates(metrics: Pick<Metrics, "watch">): OpenGates {
  const onRefused = countBy(metrics, {
    name: "gate_refusals",
    help: "Requests that were refused because too many were under way, by gate.",
    label: "gate",
  });
  // A crowd at chat does not keep those waiting who are refused elsewhere.
  const chat = createRefusalThrottle();
  const others = createRefusalThrottle();
  const routed = createGates({ refusals: others, onRefused });
  const names = GATE_NAMES.filter((name) => name !== "chat");
  metrics.watch({
    name: "gate_waiting",
    help: "Requests that are under way behind a gate, by gate.",
    label: "gate",
    read: () => new Map(names.map((name) => [name, routed.waiting(name)])),
  });
  metrics.watch({
    name: "gate_room",
    help: "How many requests may be under way behind a gate of one process, by gate.",
    label: "gate",
    together: "max",
    read: () => new Map(names.map((name) => [name, ROOM[name]])),
  });
  metrics.watch({
    name: "refusals_held",
    help: "Callers who came again at once and wait to hear that they are refused.",
    read: () => chat.held + others.held,
  });
  return {
    routed,
    chatRefusals: {
      refuse(connection, answer) {
        onRefused("chat");
        chat.refuse(connection, answer);
      },
    },
  };
}

/**
 * The gates before all routes but chat's: how many requests of each kind may be under way at once,
 * so that a crowd of callers at one of them keeps no caller of another out.
 */
import type { IncomingMessage } from "node:http";
import type { GateName, RoutedGate } from "../contract/enums/gate-name.ts";
import { sayRefusal } from "../contract/sentences/say-refusal.ts";
import { Fault } from "../kernel/faults.ts";
import { createLoadShedder } from "../serving/admission/load-shedder.ts";
import type { RefusalThrottle } from "./refusal-throttle.ts";
import type { Route } from "./route.ts";

/**
 * Of one process. They share ten connections to the database: those of a full gate keep the others
 * waiting for some hundredths of a second. An upload counts as long as it comes; of the rest counts
 * what is done for it here, not how long its body takes to come, or what it waits for.
 */
export const ROOM: Readonly<Record<RoutedGate, number>> = {
  tasks: 100,
  uploads: 256,
  api: 200,
  panel: 100,
  operator: 50,
};

export interface GatesDeps {
  readonly refusals: Pick<RefusalThrottle, "refuse">;
  onRefused(gate: GateName): void;
}

export interface Gates {
  /**
   * Rejects with the fault that refuses a request which has just arrived and of which nothing was
   * read; later where its caller came again at once.
   */
  arrive(gate: RoutedGate, request: IncomingMessage): Promise<void>;
  /** Counts as long as `work` is under way; throws the fault where there is no room for it. */
  within<T>(gate: RoutedGate, work: () => Promise<T>): Promise<T>;
  /** How many are under way. */
  waiting(gate: RoutedGate): number;
}

const OPERATOR = "/panel/api/operator";
const ORDERS = /^\/v1\/(?:quote\/)?(?:tasks|images)\//;

/** Null: never refused here. That is what machines watch and providers report to, files and pages. */
export function gateOf(route: Route): RoutedGate | null {
  switch (route.access) {
    case "raw":
      return null;
    case "open":
      return route.sameOrigin === true ? "panel" : null;
    case "member":
      if (route.streamed !== undefined) return "uploads";
      return route.path.startsWith(OPERATOR) ? "operator" : "panel";
    case "key":
      if (route.streamed !== undefined) return "uploads";
      return route.method === "POST" && ORDERS.test(route.path) ? "tasks" : "api";
  }
}

export function createGates({ refusals, onRefused }: GatesDeps): Gates {
  const open = (gate: RoutedGate) => ({
    shedder: createLoadShedder({ most: ROOM[gate] }),
    refusal: new Fault("overloaded", {
      retryAfterSeconds: 1,
      ...sayRefusal("gate_full", { gate }),
    }),
  });
  const gates = {
    tasks: open("tasks"),
    uploads: open("uploads"),
    api: open("api"),
    panel: open("panel"),
    operator: open("operator"),
  } satisfies Record<RoutedGate, unknown>;

  return {
    async arrive(gate, request) {
      const { shedder, refusal } = gates[gate];
      if (!shedder.refuses()) return;
      onRefused(gate);
      const { promise, resolve } = Promise.withResolvers<void>();
      refusals.refuse(request.socket, resolve);
      await promise;
      throw refusal;
    },
    async within(gate, work) {
      const { shedder, refusal } = gates[gate];
      if (shedder.full()) {
        onRefused(gate);
        throw refusal;
      }
      shedder.enter();
      try {
        return await work();
      } finally {
        shedder.leave();
      }
    },
    waiting: (gate) => gates[gate].shedder.waiting,
  };
}

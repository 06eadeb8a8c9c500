/** Lets operators see, whichever process they ask, what this one thinks of its routes. */
import { hostname } from "node:os";
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { forgetCircuits, tellCircuits } from "./circuits.store.ts";

export interface CircuitTeller {
  tell(): Promise<void>;
  /** The process ends. */
  forget(): Promise<void>;
}

export function createCircuitTeller(deps: {
  readonly db: Queryable;
  readonly processId: Uuid;
  routeStates(): ReadonlyMap<string, number>;
}): CircuitTeller {
  const { db, processId } = deps;
  const label = `${hostname()}:${process.pid}`;
  return {
    tell: () => tellCircuits(db, { processId, label, routes: deps.routeStates() }),
    forget: () => forgetCircuits(db, processId),
  };
}

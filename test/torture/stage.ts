/** What the clients of a run have in common: where to ask, how long yet, and where to write down. */
import type { Db } from "../../src/db/database.ts";
import type { Chance } from "./seeded.ts";
import type { Fleet } from "./fleet.ts";
import type { Trace } from "./trace.ts";

export interface Stage {
  readonly fleet: Fleet;
  /** Past the proxies, as a command on the server has it; it fails while the server is away. */
  readonly db: Db;
  readonly trace: Trace;
  /** The clock of the run. */
  nowMs(): number;
  /** False: what has begun is finished, and nothing more is begun. */
  readonly running: boolean;
  chance(name: string): Chance;
  /** Called by a client whose stream has come to a piece: a plan may wait for it there. */
  onPiece(gateway: number, piece: number): void;
  /** How many pieces a client has to read before `onPiece`; null: no plan waits. */
  readonly ambush: number | null;
}

/** Another number with every call, for what has to have a name of its own. */
export function counter(): () => number {
  let count = 0;
  return () => (count += 1);
}

/** What every serving process thinks of its routes, told by each of them every few seconds. */
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";

export interface ProcessCircuits {
  /** For people. */
  readonly label: string;
  readonly seenAt: Date;
  /** By `upstream/model`: 0 closed, 1 resting, 2 open. */
  readonly routes: Readonly<Record<string, number>>;
}

/** No process is believed for longer. */
const FRESH_SECONDS = 20;

/** Tells what this process thinks, and forgets those that have not been heard of for long. */
export async function tellCircuits(
  q: Queryable,
  own: {
    readonly processId: Uuid;
    readonly label: string;
    readonly routes: ReadonlyMap<string, number>;
  },
): Promise<void> {
  await q.query(
    `WITH gone AS (DELETE FROM operate.processes WHERE seen_at < clock_timestamp() - interval '1 hour')
     INSERT INTO operate.processes (process_id, label, routes) VALUES ($1, $2, $3)
     ON CONFLICT (process_id) DO UPDATE SET seen_at = clock_timestamp(), routes = excluded.routes`,
    [own.processId, own.label, JSON.stringify(Object.fromEntries(own.routes))],
  );
}

/** This process ends. */
export async function forgetCircuits(q: Queryable, processId: Uuid): Promise<void> {
  await q.query("DELETE FROM operate.processes WHERE process_id = $1", [processId]);
}

/** Of the processes that live, as far as anybody knows. */
export async function readCircuits(q: Queryable): Promise<ProcessCircuits[]> {
  return q.query<ProcessCircuits>(
    `SELECT label, seen_at AS "seenAt", routes FROM operate.processes
     WHERE seen_at BETWEEN clock_timestamp() - $1 * interval '1 second' AND clock_timestamp() + interval '1 minute' ORDER BY label`,
    [FRESH_SECONDS],
  );
}

/** What every serving process thinks of its routes, told by each of them every few seconds. */
import type { Queryable } from "../../db/database.ts";
import { sql } from "../../db/sql-type.ts";
import { statement } from "../../db/statement.ts";
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

const TELL = statement({
  text: `WITH gone AS (DELETE FROM operate.processes WHERE seen_at < clock_timestamp() - interval '1 hour')
     INSERT INTO operate.processes (process_id, label, routes) VALUES ($1, $2, $3)
     ON CONFLICT (process_id) DO UPDATE SET seen_at = clock_timestamp(), routes = excluded.routes`,
  parameters: [sql.uuid, sql.text, sql.json],
});

/** Tells what this process thinks, and forgets those that have not been heard of for long. */
export async function tellCircuits(
  q: Queryable,
  own: {
    readonly processId: Uuid;
    readonly label: string;
    readonly routes: ReadonlyMap<string, number>;
  },
): Promise<void> {
  const routes = JSON.stringify(Object.fromEntries(own.routes));
  await q.run(TELL, [own.processId, own.label, routes]);
}

const FORGET = statement({
  text: "DELETE FROM operate.processes WHERE process_id = $1",
  parameters: [sql.uuid],
});

/** This process ends. */
export async function forgetCircuits(q: Queryable, processId: Uuid): Promise<void> {
  await q.run(FORGET, [processId]);
}

const READ = statement({
  text: `SELECT label, seen_at AS "seenAt", routes FROM operate.processes
     WHERE seen_at BETWEEN clock_timestamp() - $1 * interval '1 second' AND clock_timestamp() + interval '1 minute' ORDER BY label`,
  parameters: [sql.float8],
  row: {
    label: sql.text,
    seenAt: sql.timestamptz,
    routes: sql.json.as<Readonly<Record<string, number>>>(),
  },
});

/** Of the processes that live, as far as anybody knows. */
export async function readCircuits(q: Queryable): Promise<ProcessCircuits[]> {
  return q.run(READ, [FRESH_SECONDS]);
}

/**
 * What each new connection is told before anybody uses it: how values are written, and that what is
 * committed is durable, whatever the server, the database or the role has as its default.
 */
import type { ClientBase } from "pg";
import { runStatement } from "./run-statement.ts";
import { sql } from "./sql-type.ts";
import { statement } from "./statement.ts";

/**
 * The embedded server's own defaults. Statements are written for these, and value-parsers.ts reads
 * what is written by them.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  DateStyle: "ISO, MDY",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  default_transaction_isolation: "read committed",
};

/**
 * A connection to such a server would serve nothing, and go on doing so after another has become
 * the primary.
 */
class ReadOnlyServer extends Error {
  override name = "ReadOnlyServer";
  readonly code = "READ_ONLY_SERVER";
  constructor() {
    super(
      "the database takes no writes: it is a standby, or default_transaction_read_only is on; DATABASE_URL has to lead to the primary",
    );
  }
}

// Beyond `off` every value of synchronous_commit waits for this server's disk, and which of them is
// the operator's choice.
const PREPARE = statement({
  text: `SELECT (SELECT count(set_config(s.name, s.value, false)) FROM unnest($1::text[], $2::text[]) AS s (name, value)) AS set,
       CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END AS durable,
       current_setting('transaction_read_only')::boolean AS "readOnly"`,
  parameters: [sql.array(sql.text), sql.array(sql.text)],
  row: { set: sql.int8, durable: sql.nullable(sql.text), readOnly: sql.bool },
});

/** Whatever server it turns out to be, nothing is written there. */
const READ_ONLY = { default_transaction_read_only: "on" };

/**
 * Throws when the server takes no writes, unless it is used for reading alone. `more` are settings of
 * this connection besides.
 */
export async function prepareSession(
  client: Pick<ClientBase, "query">,
  more: Readonly<Record<string, string>> = {},
  use: "writing" | "reading" = "writing",
): Promise<void> {
  const settings = { ...SETTINGS, ...more, ...(use === "reading" ? READ_ONLY : {}) };
  const [row] = await runStatement(client, PREPARE, [
    Object.keys(settings),
    Object.values(settings),
  ]);
  if (row?.readOnly === true && use === "writing") throw new ReadOnlyServer();
}

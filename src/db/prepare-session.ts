/**
 * What each new connection is told before anybody uses it: how values are written, and that what is
 * committed is durable, whatever the server, the database or the role has as its default.
 */
import type { ClientBase } from "pg";

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

/** Throws when the server takes no writes. `more` are settings of this connection besides. */
export async function prepareSession(
  client: Pick<ClientBase, "query">,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const settings = { ...SETTINGS, ...more };
  // Beyond `off` every value of synchronous_commit waits for this server's disk, and which of them
  // is the operator's choice.
  const { rows } = await client.query<{ readOnly: boolean }>(
    `SELECT (SELECT count(set_config(s.name, s.value, false)) FROM unnest($1::text[], $2::text[]) AS s (name, value)),
       CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END,
       current_setting('transaction_read_only')::boolean AS "readOnly"`,
    [Object.keys(settings), Object.values(settings)],
  );
  if (rows[0]?.readOnly === true) throw new ReadOnlyServer();
}

/**
 * Removes what time has made worthless (schema `accounts`): nothing that is found here was good for
 * anything any more.
 */
import type { Queryable } from "../db/database.ts";

const ENDED = [
  "DELETE FROM accounts.sessions WHERE expires_at < statement_timestamp() OR ends_at < statement_timestamp()",
  "DELETE FROM accounts.tokens WHERE expires_at < statement_timestamp()",
  "DELETE FROM accounts.invitations WHERE expires_at < statement_timestamp()",
  "DELETE FROM accounts.attempts WHERE free_at < statement_timestamp()",
  // A device that comes back after that long is told of as a new one.
  "DELETE FROM accounts.devices WHERE seen_at < statement_timestamp() - interval '400 days'",
];

export async function sweepMembers(q: Queryable): Promise<void> {
  for (const statement of ENDED) await q.query(statement);
}

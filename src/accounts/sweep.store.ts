/**
 * Removes what time has made worthless (schema `accounts`): nothing that is found here was good for
 * anything any more.
 */
import type { Queryable } from "../db/database.ts";
import { statement } from "../db/statement.ts";

const ENDED = [
  statement({
    text: "DELETE FROM accounts.sessions WHERE expires_at < statement_timestamp() OR ends_at < statement_timestamp()",
  }),
  statement({ text: "DELETE FROM accounts.tokens WHERE expires_at < statement_timestamp()" }),
  statement({ text: "DELETE FROM accounts.invitations WHERE expires_at < statement_timestamp()" }),
  statement({ text: "DELETE FROM accounts.attempts WHERE free_at < statement_timestamp()" }),
  // A device that comes back after that long is told of as a new one.
  statement({
    text: "DELETE FROM accounts.devices WHERE seen_at < statement_timestamp() - interval '400 days'",
  }),
];

export async function sweepMembers(q: Queryable): Promise<void> {
  for (const ended of ENDED) await q.run(ended, []);
}

/**
 * The rows of answers that are kept (schema `responses`): kept within the account's room, found by
 * their own id, by an item of theirs or as a conversation, given up.
 */
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import { assert } from "../kernel/assert.ts";
import type { Uuid } from "../kernel/ids.ts";
import {
  KEEP_VERDICTS,
  type KeepVerdict,
  type NewResponse,
  type ResponseHead,
  type ResponseName,
  type StoredResponse,
} from "./stored-response.ts";

const KEEP = statement({
  text: `SELECT responses.keep($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::text[], $12, $13) AS verdict`,
  parameters: [
    sql.uuid,
    sql.text,
    sql.uuid,
    sql.text,
    sql.nullable(sql.text),
    sql.bool,
    sql.int4,
    sql.whole,
    sql.bytea,
    sql.bytea,
    sql.array(sql.text),
    sql.float8,
    sql.whole,
  ],
  row: { verdict: sql.oneOf(KEEP_VERDICTS) },
});

/** Keeps it, if its account has room for it. The same again is `kept` already. */
export async function keepResponse(q: Queryable, response: NewResponse): Promise<KeepVerdict> {
  const [row] = await q.run(KEEP, [
    response.accountId,
    response.responseId,
    response.requestId,
    response.model,
    response.previousId,
    response.anew,
    response.turns,
    response.replayedBytes,
    response.sealedInput,
    response.sealedResponse,
    response.itemIds,
    response.retentionSeconds,
    response.quotaBytes,
  ]);
  assert(row !== undefined, "responses.keep answers with a row");
  return row.verdict;
}

const STORED = {
  responseId: sql.text,
  sealedInput: sql.bytea,
  sealedResponse: sql.bytea,
};
const CONTENT = `r.response_id AS "responseId", r.sealed_input AS "sealedInput", r.sealed_response AS "sealedResponse"`;

const FIND = statement({
  text: `SELECT ${CONTENT} FROM responses.responses r
     WHERE r.account_id = $1 AND r.response_id = $2 AND r.expires_at > statement_timestamp()`,
  parameters: [sql.uuid, sql.text],
  row: STORED,
});

export async function findResponse(
  q: Queryable,
  { accountId, responseId }: ResponseName,
): Promise<StoredResponse | null> {
  const [row] = await q.run(FIND, [accountId, responseId]);
  return row ?? null;
}

// The contents follow for those that are replayed: a conversation that is too long is not read.
const FIND_CHAIN = statement({
  text: `
  WITH RECURSIVE chain AS (
    SELECT r.response_id, r.previous_id, r.anew, r.turns, r.replayed_bytes, 1 AS depth FROM responses.responses r
    WHERE r.account_id = $1 AND r.response_id = $2 AND r.expires_at > statement_timestamp()
    UNION ALL
    SELECT r.response_id, r.previous_id, r.anew, r.turns, r.replayed_bytes, c.depth + 1 FROM chain c
    JOIN responses.responses r ON r.account_id = $1 AND r.response_id = c.previous_id AND r.expires_at > statement_timestamp()
    WHERE NOT c.anew AND c.depth < $3)
  SELECT response_id AS "responseId", previous_id AS "previousId", anew, turns, replayed_bytes AS "replayedBytes"
  FROM chain ORDER BY depth`,
  parameters: [sql.uuid, sql.text, sql.int4],
  row: {
    responseId: sql.present(sql.text),
    previousId: sql.nullable(sql.text),
    anew: sql.present(sql.bool),
    turns: sql.present(sql.int4),
    replayedBytes: sql.present(sql.int8),
  },
});

/**
 * The answer and those that it went on from, newest first, as far as a conversation would be put
 * together from them; at most `limit`. Empty: there is no such answer.
 */
export async function findChain(
  q: Queryable,
  { accountId, responseId }: ResponseName,
  limit: number,
): Promise<ResponseHead[]> {
  const rows = await q.run(FIND_CHAIN, [accountId, responseId, limit]);
  return rows.map((row) => ({ ...row, replayedBytes: Number(row.replayedBytes) }));
}

const FIND_MANY = statement({
  text: `SELECT ${CONTENT} FROM unnest($2::text[]) WITH ORDINALITY AS u (response_id, at)
     JOIN responses.responses r ON r.account_id = $1 AND r.response_id = u.response_id AND r.expires_at > statement_timestamp()
     ORDER BY u.at`,
  parameters: [sql.uuid, sql.array(sql.text)],
  row: STORED,
});

/** In this order; one that went meanwhile is missing. */
export function findResponses(
  q: Queryable,
  accountId: Uuid,
  responseIds: readonly string[],
): Promise<StoredResponse[]> {
  return q.run(FIND_MANY, [accountId, responseIds]);
}

const FIND_OWNERS = statement({
  text: `SELECT DISTINCT ON (r.response_id) r.response_id AS "responseId", r.bytes FROM responses.items i
     JOIN responses.responses r ON r.account_id = i.account_id AND r.response_id = i.response_id AND r.expires_at > statement_timestamp()
     WHERE i.account_id = $1 AND i.item_id = ANY ($2::text[])`,
  parameters: [sql.uuid, sql.array(sql.text)],
  row: { responseId: sql.text, bytes: sql.int8 },
});

/** The answers that have these items in their output, and how much is kept of each. */
export async function findItemOwners(
  q: Queryable,
  accountId: Uuid,
  itemIds: readonly string[],
): Promise<{ readonly responseId: string; readonly bytes: number }[]> {
  const rows = await q.run(FIND_OWNERS, [accountId, itemIds]);
  return rows.map(({ responseId, bytes }) => ({ responseId, bytes: Number(bytes) }));
}

const DELETE = statement({
  text: `
  WITH gone AS (
    DELETE FROM responses.responses WHERE account_id = $1 AND response_id = $2 RETURNING bytes, expires_at > statement_timestamp() AS live)
  SELECT live, files.give_room($1, bytes) AS freed FROM gone`,
  parameters: [sql.uuid, sql.text],
  row: { live: sql.bool, freed: sql.void },
});

/** Gives it up with its room. False: the account has no such answer that is still kept. */
export async function deleteResponse(
  q: Queryable,
  { accountId, responseId }: ResponseName,
): Promise<boolean> {
  const [row] = await q.run(DELETE, [accountId, responseId]);
  return row?.live === true;
}

/** The rows of a month as they are, account by account, in the order in which they are archived. */
import { CREDIT_CLASSES } from "../contract/enums/credit-class.ts";
import { ENTRY_KINDS } from "../contract/enums/entry-kind.ts";
import type { Queryable } from "../db/database.ts";
import { sql } from "../db/sql-type.ts";
import { statement } from "../db/statement.ts";
import type { Uuid } from "../kernel/ids.ts";
import type { Month } from "./months.store.ts";

// Times in microseconds, as they are kept: a Date has milliseconds.
const ROWS = statement({
  text: `
  SELECT account_id AS "accountId", entry_id AS "entryId", entry_no AS "entryNo", (extract(epoch FROM at) * 1000000)::bigint AS at,
    amount_nano AS "amountNano", balance_nano AS "balanceNano", held_nano AS "heldNano",
    (extract(epoch FROM started_at) * 1000000)::bigint AS "startedAt", input_tokens AS "inputTokens", cached_tokens AS "cachedTokens",
    output_tokens AS "outputTokens", cost_nano AS "costNano", kind::text AS kind, price_version AS "priceVersion", duration_ms AS "durationMs",
    first_ms AS "firstMs", budget_id AS "budgetId", budget2_id AS "budget2Id", budget3_id AS "budget3Id", endpoint,
    model_requested AS "modelRequested", model, state, upstream, reference, note, detail, class::text AS "creditClass"
  FROM ledger.entries
  WHERE entry_id >= ledger.first_id(to_date($1, 'YYYY-MM')::timestamp AT TIME ZONE 'Europe/Moscow')
    AND entry_id < ledger.first_id((to_date($1, 'YYYY-MM') + interval '1 month') AT TIME ZONE 'Europe/Moscow')
    AND (account_id, entry_id) > ($2::uuid, $3::uuid)
  ORDER BY account_id, entry_id LIMIT $4`,
  parameters: [sql.text, sql.uuid, sql.uuid, sql.whole],
  row: {
    accountId: sql.uuid,
    entryId: sql.uuid,
    entryNo: sql.int8,
    at: sql.int8,
    amountNano: sql.int8,
    balanceNano: sql.int8,
    heldNano: sql.nullable(sql.int8),
    startedAt: sql.nullable(sql.int8),
    inputTokens: sql.nullable(sql.int8),
    cachedTokens: sql.nullable(sql.int8),
    outputTokens: sql.nullable(sql.int8),
    costNano: sql.nullable(sql.int8),
    kind: sql.oneOf(ENTRY_KINDS),
    priceVersion: sql.nullable(sql.int4),
    durationMs: sql.nullable(sql.int4),
    firstMs: sql.nullable(sql.int4),
    budgetId: sql.nullable(sql.uuid),
    budget2Id: sql.nullable(sql.uuid),
    budget3Id: sql.nullable(sql.uuid),
    endpoint: sql.nullable(sql.text),
    modelRequested: sql.nullable(sql.text),
    model: sql.nullable(sql.text),
    state: sql.nullable(sql.text),
    upstream: sql.nullable(sql.text),
    reference: sql.nullable(sql.text),
    note: sql.nullable(sql.text),
    detail: sql.nullable(sql.text),
    creditClass: sql.nullable(sql.oneOf(CREDIT_CLASSES)),
  },
});

export type MonthRow = typeof ROWS extends { readonly types?: (parameters: never) => infer Row }
  ? Row
  : never;

const NOBODY = "00000000-0000-0000-0000-000000000000";

/** So many at a time, each time in a statement of its own: a month may have tens of millions. */
export async function* monthRows(
  q: Queryable,
  month: Month,
  atOnce: number,
): AsyncGenerator<readonly MonthRow[]> {
  let behind: { readonly accountId: Uuid; readonly entryId: Uuid } = {
    accountId: NOBODY,
    entryId: NOBODY,
  };
  for (;;) {
    const rows = await q.run(ROWS, [month, behind.accountId, behind.entryId, atOnce]);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < atOnce) return;
    behind = last;
  }
}

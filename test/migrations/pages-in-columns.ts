/** Pages as versions before 0024 wrote them: a column for each kind of value. */
import type { Db } from "../../src/db/database.ts";
import type { Uuid } from "../../src/kernel/ids.ts";
import { encodeReceipt } from "../../src/usage/receipts.store.ts";
import type { EndedRequest, GivenLease } from "../../src/serving/money/page-elements.ts";

export interface PageInColumns {
  readonly journalId: Uuid;
  readonly pageNo: number;
  readonly ended: readonly EndedRequest[];
  readonly given?: readonly GivenLease[];
}

export async function writePageInColumns(db: Db, page: PageInColumns): Promise<void> {
  const rows = page.ended.map((element) => ({
    element,
    receipt: element.receipt === null ? null : encodeReceipt(element.requestId, element.receipt),
  }));
  const columns: readonly (readonly [name: string, type: string, values: readonly unknown[]])[] = [
    ["request_ids", "uuid", rows.map(({ element }) => element.requestId)],
    ["account_ids", "uuid", rows.map(({ element }) => element.accountId)],
    ["hold_ids", "uuid", rows.map(({ element }) => element.holdId)],
    ["held", "bigint", rows.map(({ element }) => element.heldNano)],
    ["charges", "bigint", rows.map(({ element }) => element.chargeNano)],
    ["losses", "bigint", rows.map(({ element }) => element.lossNano)],
    ["price_versions", "int", rows.map(({ element }) => element.priceVersion)],
    ["noted", "boolean", rows.map(({ element }) => element.noted)],
    ["endpoints", "text", rows.map(({ receipt }) => receipt?.row?.endpoint ?? null)],
    ["models_requested", "text", rows.map(({ receipt }) => receipt?.row?.modelRequested ?? null)],
    ["models", "text", rows.map(({ receipt }) => receipt?.row?.model ?? null)],
    ["states", "text", rows.map(({ receipt }) => receipt?.row?.state ?? null)],
    ["started_at", "timestamptz", rows.map(({ receipt }) => receipt?.row?.startedAt ?? null)],
    ["details", "text", rows.map(({ receipt }) => receipt?.detail ?? null)],
    ["faults", "text", rows.map(({ receipt }) => receipt?.fault ?? null)],
    [
      "input_tokens",
      "bigint",
      rows.map(({ receipt }) => receipt?.row?.figures.inputTokens ?? null),
    ],
    [
      "cached_tokens",
      "bigint",
      rows.map(({ receipt }) => receipt?.row?.figures.cachedTokens ?? null),
    ],
    [
      "output_tokens",
      "bigint",
      rows.map(({ receipt }) => receipt?.row?.figures.outputTokens ?? null),
    ],
    ["upstreams", "text", rows.map(({ receipt }) => receipt?.row?.figures.upstream ?? null)],
    ["costs", "bigint", rows.map(({ receipt }) => receipt?.row?.figures.costNano ?? null)],
    ["durations", "int", rows.map(({ receipt }) => receipt?.row?.durationMs ?? null)],
    ["firsts", "int", rows.map(({ receipt }) => receipt?.row?.firstMs ?? null)],
    ["given_accounts", "uuid", (page.given ?? []).map(({ accountId }) => accountId)],
    ["given_holds", "uuid", (page.given ?? []).map(({ holdId }) => holdId)],
    ["given", "bigint", (page.given ?? []).map(({ amountNano }) => amountNano)],
  ];
  await db.query(
    `WITH me AS (UPDATE ledger.journals SET page_no = $2::bigint WHERE journal_id = $1::uuid AND page_no = $2::bigint - 1 RETURNING true)
     INSERT INTO ledger.pages (journal_id, page_no, ${columns.map(([name]) => name).join(", ")})
     SELECT $1, $2, ${columns.map(([, type], nth) => `$${nth + 3}::${type}[]`).join(", ")} FROM me`,
    [page.journalId, page.pageNo, ...columns.map(([, , values]) => values)],
  );
}

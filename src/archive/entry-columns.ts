/** The columns of archived entries, as the table `ledger.entries` has them. */
import { int4, int8, moment, optional, type RowOf, text, uuid } from "./column.ts";

/** Written into each file; grows when columns are added. Files of older editions lack the newer. */
export const EDITION = 2;

export const ENTRY_COLUMNS = {
  accountId: uuid("account_id"),
  entryId: uuid("entry_id"),
  entryNo: int8("entry_no"),
  at: moment("at"),
  amountNano: int8("amount_nano"),
  balanceNano: int8("balance_nano"),
  heldNano: optional(int8("held_nano")),
  startedAt: optional(moment("started_at")),
  inputTokens: optional(int8("input_tokens")),
  cachedTokens: optional(int8("cached_tokens")),
  outputTokens: optional(int8("output_tokens")),
  costNano: optional(int8("cost_nano")),
  kind: text("kind"),
  priceVersion: optional(int4("price_version")),
  durationMs: optional(int4("duration_ms")),
  firstMs: optional(int4("first_ms")),
  budgetId: optional(uuid("budget_id")),
  budget2Id: optional(uuid("budget2_id")),
  budget3Id: optional(uuid("budget3_id")),
  endpoint: optional(text("endpoint")),
  modelRequested: optional(text("model_requested")),
  model: optional(text("model")),
  state: optional(text("state")),
  upstream: optional(text("upstream")),
  reference: optional(text("reference")),
  note: optional(text("note")),
  detail: optional(text("detail")),
  // Since edition 2. Null: paid, or no credit at all.
  creditClass: optional(text("class")),
};

export type ArchivedEntry = RowOf<typeof ENTRY_COLUMNS>;

/** What rows are looked for by: their bounds are kept for each page of the file. */
export const SOUGHT_BY = ["accountId", "entryId", "entryNo"] as const;

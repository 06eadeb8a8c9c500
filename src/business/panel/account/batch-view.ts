/** A batch as the panel shows it. */
import type { BatchRecord } from "../../../batches/batch-record.ts";
import type { PanelBatch } from "../../../contract/panel/panel-batch.ts";
import { formatRoubles, type Nano } from "../../../kernel/money.ts";
import { formatBatchId } from "../../../serving/batches/batch-ids.ts";
import { BATCH_URLS } from "../../../serving/batches/batch-urls.ts";

export function batchView(batch: BatchRecord): PanelBatch {
  const { shape, state, total, succeeded, errored, canceled, expired, errors } = batch;
  const roubles = (nano: Nano | null): string | null =>
    nano === null ? null : formatRoubles(nano);
  return {
    id: formatBatchId(shape, batch.batchId),
    shape,
    url: BATCH_URLS[batch.endpoint],
    state,
    total,
    succeeded,
    errored,
    unrun: canceled + expired,
    held: roubles(batch.quotedNano),
    charged: roubles(batch.chargedNano),
    mistake: errors?.[0]?.message ?? null,
    createdAt: batch.createdAt.toISOString(),
    endedAt: batch.endedAt?.toISOString() ?? null,
    expiresAt: batch.expiresAt.toISOString(),
  };
}

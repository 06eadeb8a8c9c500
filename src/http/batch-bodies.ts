/** Files and batches as the clients of either protocol read them. */
import type { Static } from "typebox";
import type { BatchRecord } from "../batches/batch-record.ts";
import type { Batch, FileObject } from "../contract/batch.ts";
import type { MessageBatch } from "../contract/message-batch.ts";
import type { PrivateFile } from "../files/private-files.store.ts";
import { formatBatchId, formatFileId } from "../serving/batches/batch-ids.ts";
import { RESULTS_LIVE_SECONDS } from "../serving/batches/batch-limits.ts";
import { BATCH_URLS } from "../serving/batches/batch-urls.ts";

function seconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}

function secondsOf(moment: Date | null): number | null {
  return moment === null ? null : seconds(moment);
}

export function fileObject(file: PrivateFile): Static<typeof FileObject> {
  return {
    id: formatFileId(file.fileId),
    object: "file",
    bytes: file.bytes,
    created_at: seconds(file.storedAt),
    expires_at: seconds(file.expiresAt),
    filename: file.fileName,
    purpose: file.purpose === "batch" ? "batch" : "batch_output",
    status: "processed",
    status_details: null,
  };
}

export function batchObject(batch: BatchRecord): Static<typeof Batch> {
  const { state, errors, endedAt } = batch;
  const fileOf = (id: string | null): string | null => (id === null ? null : formatFileId(id));
  const endOf = (wanted: BatchRecord["state"]): number | null =>
    state === wanted ? secondsOf(endedAt) : null;
  return {
    id: formatBatchId("openai", batch.batchId),
    object: "batch",
    endpoint: BATCH_URLS[batch.endpoint],
    errors: errors === null ? null : { object: "list", data: errors },
    input_file_id: formatFileId(batch.inputFileId),
    completion_window: "24h",
    status: state,
    output_file_id: fileOf(batch.outputFileId),
    error_file_id: fileOf(batch.errorFileId),
    created_at: seconds(batch.createdAt),
    in_progress_at: secondsOf(batch.beganAt),
    expires_at: seconds(batch.expiresAt),
    finalizing_at: secondsOf(batch.finalizingAt),
    completed_at: endOf("completed"),
    failed_at: endOf("failed"),
    expired_at: endOf("expired"),
    cancelling_at: secondsOf(batch.cancelAskedAt),
    cancelled_at: endOf("cancelled"),
    request_counts: { total: batch.total, completed: batch.succeeded, failed: batch.errored },
    metadata: batch.metadata === null ? null : { ...batch.metadata },
  };
}

/** `baseUrl`: where the outside reaches the API. */
export function messageBatchObject(
  batch: BatchRecord,
  baseUrl: string,
  now: Date,
): Static<typeof MessageBatch> {
  const { total, succeeded, errored, canceled, expired, endedAt, cancelAskedAt } = batch;
  const id = formatBatchId("anthropic", batch.batchId);
  const ended = endedAt !== null;
  const goneAt = new Date(batch.createdAt.getTime() + RESULTS_LIVE_SECONDS * 1000);
  const gone = ended && goneAt <= now;
  return {
    id,
    type: "message_batch",
    processing_status: ended ? "ended" : cancelAskedAt === null ? "in_progress" : "canceling",
    request_counts: ended
      ? { processing: 0, succeeded, errored, canceled, expired }
      : { processing: total, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    created_at: batch.createdAt.toISOString(),
    expires_at: batch.expiresAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    cancel_initiated_at: cancelAskedAt?.toISOString() ?? null,
    archived_at: gone ? goneAt.toISOString() : null,
    results_url: ended && !gone ? `${baseUrl}/v1/messages/batches/${id}/results` : null,
  };
}

/** Ids of batches and of private files as the vendors' clients see them: a prefix and the bits of ours. */
import type { BatchShape } from "../../contract/enums/batch-state.ts";
import { isUuid, type Uuid } from "../../kernel/ids.ts";

const BATCH_PREFIX: Readonly<Record<BatchShape, string>> = {
  openai: "batch_",
  anthropic: "msgbatch_",
};
const FILE_PREFIX = "file-";
const DIGITS = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

export function formatBatchId(shape: BatchShape, id: Uuid): string {
  return BATCH_PREFIX[shape] + id.replaceAll("-", "");
}

/** By its prefix; whether it is an id at all is `parseBatchId`'s to say. */
export function shapeOfBatchId(id: string): BatchShape {
  return id.startsWith(BATCH_PREFIX.anthropic) ? "anthropic" : "openai";
}

/** Null for what is no id of this kind. */
export function parseBatchId(shape: BatchShape, text: string): Uuid | null {
  return parse(BATCH_PREFIX[shape], text);
}

export function formatFileId(id: Uuid): string {
  return FILE_PREFIX + id.replaceAll("-", "");
}

/** Null for what is no id of this kind. */
export function parseFileId(text: string): Uuid | null {
  return parse(FILE_PREFIX, text);
}

function parse(prefix: string, text: string): Uuid | null {
  if (!text.startsWith(prefix)) return null;
  const id = DIGITS.exec(text.slice(prefix.length))?.slice(1).join("-") ?? "";
  return isUuid(id) ? id : null;
}

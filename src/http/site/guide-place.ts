/** Which guides there are, where, and which errors of the API they explain. */
import { FAULTS, type FaultCode } from "../../kernel/faults.ts";

export const GUIDES = [
  ["start", "/docs"],
  ["money", "/docs/money"],
  ["limits", "/docs/limits"],
  ["idempotency", "/docs/idempotency"],
  ["errors", "/docs/errors"],
  ["chat", "/docs/chat"],
  ["images", "/docs/images"],
  ["audio", "/docs/audio"],
  ["embeddings", "/docs/embeddings"],
  ["tasks", "/docs/tasks"],
  ["batches", "/docs/batches"],
  ["files", "/docs/files"],
  ["webhooks", "/docs/webhooks"],
] as const;
export type GuideName = (typeof GUIDES)[number][0];

/** What a section of a guide shows as code. */
export type GuideSample =
  | "chat"
  | "clients"
  | "models"
  | "quote"
  | "receipts"
  | "limits"
  | "idempotent"
  | "protocols"
  | "stream"
  | "tools"
  | "reasoning"
  | "caching"
  | "structured"
  | "picture"
  | "goOn"
  | "image"
  | "imageEdit"
  | "speech"
  | "transcription"
  | "embedding"
  | "rerank"
  | "moderation"
  | "completion"
  | "taskQuote"
  | "task"
  | "taskWait"
  | "taskEvents"
  | "taskCancel"
  | "batchFile"
  | "batch"
  | "messageBatch"
  | "upload"
  | "download"
  | "fileList"
  | "callback"
  | "verify"
  | "deliveries";

/** Those that callers with a key never meet. */
const OF_PANEL = [
  "session_required",
  "wrong_credentials",
  "email_unverified",
  "login_unfinished",
  "origin_refused",
  "top_ups_unavailable",
] as const satisfies readonly FaultCode[];

/** A code without words for it does not compile. */
export type ApiFaultCode = Exclude<FaultCode, (typeof OF_PANEL)[number]>;

/** By status, as one looks for them. */
export const API_FAULTS: readonly ApiFaultCode[] = (Object.keys(FAULTS) as FaultCode[])
  .filter((code): code is ApiFaultCode => !OF_PANEL.some((one) => one === code))
  .toSorted((a, b) => FAULTS[a].status - FAULTS[b].status);

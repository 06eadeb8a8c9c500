/**
 * Tells a full disk, a spent quota or a full server from other errors, and gives it its public
 * face.
 */
import { Fault } from "../kernel/faults.ts";
import { isDiskFull } from "./disk.ts";

const FULL_CODES = new Set(["XMinioStorageFull", "QuotaExceeded", "InsufficientStorage"]);
const INSUFFICIENT_STORAGE = 507;

/** The fault for the caller when `error` says that there is no room; `error` itself otherwise. */
export function asStorageFull(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, status } = error as { code?: unknown; status?: unknown };
  const full =
    isDiskFull(error) ||
    (typeof code === "string" && FULL_CODES.has(code)) ||
    status === INSUFFICIENT_STORAGE;
  return full ? new Fault("storage_full", { cause: error }) : error;
}

/**
 * What went wrong at an S3-compatible server, in words that are safe to log: neither credentials
 * nor what the server wrote.
 */
import { STATUS_CODES } from "node:http";

/**
 * `code` is S3's own (`NoSuchBucket`) or the network's (`ECONNREFUSED`); `status` is null when
 * there was no answer.
 */
export class StorageError extends Error {
  override name = "StorageError";
  readonly operation: string;
  readonly code: string;
  readonly status: number | null;

  constructor(operation: string, code: string, status: number | null) {
    super(`storage: ${operation} failed with ${code}${status === null ? "" : ` (HTTP ${status})`}`);
    this.operation = operation;
    this.code = code;
    this.status = status;
  }
}

/** What the SDK says to an answer without a body, as those to HEAD are. */
const WORDLESS = new Set(["Unknown", "UnknownError", "Error"]);
const SAFE_CODE = /^[A-Za-z][A-Za-z0-9_.]{0,63}$/;

/**
 * The original is dropped, not kept as a cause: the SDK's errors carry what the server answered,
 * and to a wrong signature servers answer with the access key and the signed text.
 */
export function toStorageError(operation: string, thrown: unknown): StorageError {
  if (thrown instanceof StorageError) return thrown;
  const { name, code, $metadata } = (thrown ?? {}) as {
    name?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: unknown };
  };
  const status = $metadata?.httpStatusCode;
  const known = [code, name].find(
    (each): each is string =>
      typeof each === "string" && SAFE_CODE.test(each) && !WORDLESS.has(each),
  );
  if (typeof status !== "number") return new StorageError(operation, known ?? "Error", null);
  return new StorageError(
    operation,
    known ?? STATUS_CODES[status]?.replaceAll(" ", "") ?? "Error",
    status,
  );
}

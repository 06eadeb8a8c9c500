/**
 * Sorts what the driver throws: worth running again, database unable to serve now, or a real error
 * of a statement.
 */
import { DatabaseError } from "pg";
import { Fault } from "../kernel/faults.ts";

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";
const LOCK_NOT_AVAILABLE = "55P03";
const READ_ONLY = "25006";
const DISK_FULL = "53100";
/**
 * The server cannot work now: connection exceptions (08), out of resources (53), a lock or
 * statement that took too long (55P03, 57014), shutting down, starting or crashed (57P01 to 57P05),
 * a disk error (58030), a standby (25006), a password or a database that is being changed (28,
 * 3D000).
 */
const UNAVAILABLE_STATES = /^(?:08\w{3}|53\w{3}|55P03|57014|57P0[1-5]|58030|25006|28\w{3}|3D000)$/;
const UNAVAILABLE_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EACCES",
  "EMFILE",
  "ENFILE",
  // Of prepare-session.ts.
  "READ_ONLY_SERVER",
]);
/** The driver throws plain errors with these beginnings. */
const UNAVAILABLE_MESSAGE =
  /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Query read timeout)/;

/** Whether PostgreSQL undid the whole transaction and asks for it to be run again. */
export function isRetryable(error: unknown): boolean {
  return (
    error instanceof DatabaseError &&
    (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK_DETECTED)
  );
}

/** Data exceptions, broken constraints, values beyond the server's bounds. */
const OF_THE_DATA = /^(?:22|23|54)/;

/**
 * Whether it is the statement's own values that cannot be written, now or later. What was made a
 * fault by `toDatabaseFault` is the database's.
 */
export function isFaultOfData(error: unknown): boolean {
  if (error instanceof Fault) return false;
  return error instanceof DatabaseError ? OF_THE_DATA.test(error.code ?? "") : true;
}

/**
 * Whether this server takes no writes (any more): another one may, to which only a new connection
 * leads.
 */
export function isReadOnly(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === READ_ONLY;
}

/**
 * Whether the server found no room for what a statement writes; what fits into its files as they
 * are may still pass.
 */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof Fault) return isDiskFull(error.cause);
  return error instanceof DatabaseError && error.code === DISK_FULL;
}

/** Whether a statement waited for a lock for as long as it may, and nothing else is amiss. */
export function isLockNotHad(error: unknown): boolean {
  if (error instanceof Fault) return isLockNotHad(error.cause);
  return error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}

const NO_ROOM = "The gateway's database has no room left on its disk. Try again later.";

export function noRoom(cause?: unknown): Fault {
  return new Fault("overloaded", {
    ...(cause === undefined ? {} : { cause }),
    retryAfterSeconds: 1,
    message: NO_ROOM,
  });
}

/**
 * An unavailable database as the fault a caller may see (503, retry); any other error unchanged.
 */
export function toDatabaseFault(error: unknown): unknown {
  if (isDiskFull(error)) return noRoom(error);
  return isUnavailable(error)
    ? new Fault("overloaded", { cause: error, retryAfterSeconds: 1 })
    : error;
}

/** Whether the connection still owes the answer of a statement: it can be used for nothing else. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Query read timeout");
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return UNAVAILABLE_STATES.test(error.code ?? "");
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return UNAVAILABLE_CODES.has(code) || UNAVAILABLE_MESSAGE.test(error.message);
}

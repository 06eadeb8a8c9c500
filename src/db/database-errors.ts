/** Sorts what the driver throws: worth running again, database out of reach, or a real error of a statement. */
import { DatabaseError } from "pg";
import { Fault } from "../kernel/faults.ts";

const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";

/** SQLSTATEs that say the server cannot work now: shutting down, starting, crashed, full of connections, or out of resources. */
const OUT_OF_REACH_STATES = /^(?:57P0[1-5]|53\d{3}|08\d{3}|58030|25006)$/;
const OUT_OF_REACH_CODES = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN", "EACCES"]);
/** The driver throws plain errors with these beginnings. */
const OUT_OF_REACH_MESSAGE = /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Query read timeout)/;

/** Whether PostgreSQL undid the whole transaction and asks for it to be run again. */
export function isRetryable(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK_DETECTED);
}

/** Whether the database could not be reached or cannot serve now; the statement may or may not have run. */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof DatabaseError) return OUT_OF_REACH_STATES.test(error.code ?? "");
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return OUT_OF_REACH_CODES.has(code) || OUT_OF_REACH_MESSAGE.test(error.message);
}

/** An out-of-reach database as the fault a caller may see (503, retry); any other error unchanged. */
export function toDatabaseFault(error: unknown): unknown {
  return isOutOfReach(error) ? new Fault("overloaded", { cause: error, retryAfterSeconds: 1 }) : error;
}

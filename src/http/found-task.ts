/**
 * A task that was asked for, or the one answer for all that are not the caller's: it never tells
 * whether another account's task exists.
 */
import { Fault } from "../kernel/faults.ts";

/** Null: the account has no such task. Throws Fault("not_found"). */
export function foundTask<T>(value: T | null): T {
  if (value === null) throw new Fault("not_found", { message: "This account has no such task." });
  return value;
}

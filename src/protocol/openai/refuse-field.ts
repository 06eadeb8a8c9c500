/** Says of one field of a chat request why it cannot go to an upstream of another protocol. */
import { Fault } from "../../kernel/faults.ts";

/**
 * `param` as find-mistakes.ts writes it, e.g. `messages[0].content[1]`; `why` goes on after it,
 * e.g. "must be a string".
 */
export function refuseField(param: string, why: string): Fault {
  return new Fault("invalid_request", { message: `'${param}' ${why}.`, param });
}

/** Null and absent are the same in this protocol: not said. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The fault of a chat body that its schema does not allow. */
import type { Mistake } from "../contract/find-mistakes.ts";
import { Fault } from "../kernel/faults.ts";

/**
 * The first mistake in full, the others as a number: the errors of the chat families name one
 * field.
 */
export function invalidBody(mistakes: readonly Mistake[]): Fault {
  const [first] = mistakes;
  const others = mistakes.length - 1;
  const more =
    others === 0
      ? ""
      : ` There ${others === 1 ? "is 1 more mistake" : `are ${others} more mistakes`} in the body.`;
  return new Fault("invalid_request", {
    message: `${first?.message ?? "The request is not valid."}${more}`,
    ...(first === undefined || first.param === "" ? {} : { param: first.param }),
    errors: mistakes,
  });
}

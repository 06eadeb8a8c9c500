/**
 * Faults in the envelope of the tasks and storage family, also used by every endpoint that belongs
 * to no chat protocol.
 */
import type { Fault } from "../../kernel/faults.ts";
import { errorHeaders, type RenderedError } from "../rendered-error.ts";

/**
 * `{"code":<HTTP status>,"msg","data":null,"errors":[{"param","code","message"}…],"requestId"}`
 * (contract §4). `errors` lists every mistake of a body; a fault that names one field lists that
 * one. `requestId` is the public form, `req_…`.
 */
export function renderTaskError(fault: Fault, requestId: string): RenderedError {
  const { errors, param } = fault.details;
  const listed = (
    errors ?? (param === undefined ? [] : [{ param, code: fault.code, message: fault.message }])
  ).map(
    // What the sentences name is for the panel's own pages.
    ({ param: field, code, message }) => ({ param: field, code, message }),
  );
  return {
    status: fault.status,
    headers: errorHeaders(fault),
    body: JSON.stringify({
      code: fault.status,
      msg: fault.message,
      data: null,
      errors: listed,
      requestId,
    }),
  };
}

/**
 * Faults as the panel's own pages read them: a stable code, every mistake by its field, and the
 * request's name to ask about.
 */
import type { Fault } from "../../kernel/faults.ts";
import { errorHeaders, type RenderedError } from "../rendered-error.ts";

/**
 * `{"error":{"code","reason","message","params","errors","retryAfterSeconds","requestId"}}`; `code`
 * is the fault's own, unlike that of the tasks family; that of a mistake is its reason.
 */
export function renderPanelError(fault: Fault, requestId: string): RenderedError {
  const { errors, param, reason, params = {}, retryAfterSeconds } = fault.details;
  const { code, message } = fault;
  const listed: NonNullable<Fault["details"]["errors"]> =
    errors ?? (param === undefined ? [] : [{ param, code: reason ?? code, message, params }]);
  const error = {
    code,
    reason: reason ?? null,
    message,
    params,
    errors: listed.map((one) => ({
      param: one.param,
      code: one.reason ?? one.code,
      message: one.message,
      params: one.params ?? {},
    })),
    retryAfterSeconds: retryAfterSeconds ?? null,
    requestId,
  };
  return { status: fault.status, headers: errorHeaders(fault), body: JSON.stringify({ error }) };
}

/** Faults as the panel's own pages read them: a stable code, every mistake by its field, and the request's name to ask about. */
import type { Fault } from "../../kernel/faults.ts";
import { errorHeaders, type RenderedError } from "../rendered-error.ts";

/** `{"error":{"code","message","errors","retryAfterSeconds","requestId"}}`; `code` is the fault's own, unlike that of the tasks family. */
export function renderPanelError(fault: Fault, requestId: string): RenderedError {
  const { errors, param, retryAfterSeconds } = fault.details;
  const listed = errors ?? (param === undefined ? [] : [{ param, code: fault.code, message: fault.message }]);
  const error = { code: fault.code, message: fault.message, errors: listed, retryAfterSeconds: retryAfterSeconds ?? null, requestId };
  return { status: fault.status, headers: errorHeaders(fault), body: JSON.stringify({ error }) };
}

/** Where a task's order and its price are asked for; a model's id may have slashes, which stay. */
import { postRaw } from "../../../api/call-api.ts";
import { PAYER_HEADER } from "../payer.tsx";

export type TaskInput = Readonly<Record<string, unknown>>;

interface TaskCall {
  readonly payerHash: string;
  readonly model: string;
  readonly input: TaskInput;
}

export function quoteTask({ payerHash, model, input }: TaskCall, signal: AbortSignal) {
  return postRaw("/playground/quote/tasks/{+model}", {
    params: { model },
    headers: { [PAYER_HEADER]: payerHash },
    body: input,
    signal,
  });
}

/** @param once the same one again is the same order. */
export function orderTask({ payerHash, model, input }: TaskCall, once: string) {
  return postRaw("/playground/tasks/{+model}", {
    params: { model },
    headers: { [PAYER_HEADER]: payerHash, "idempotency-key": once },
    body: input,
  });
}

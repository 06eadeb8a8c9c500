/** The event that ends a stream of which nothing but its failure is known. */
import type { Fault } from "../../kernel/faults.ts";
import { failureOf } from "./failure-code.ts";
import { renderResponseEvents } from "./render-events.ts";

/** `requestId` as callers see it, `req_…`: the response's id is made of the same bits. */
export function failedEvent(fault: Fault, requestId: string): Buffer {
  const id = `resp_${requestId.replace(/^req_/, "").replaceAll("-", "")}`;
  const response = {
    id,
    object: "response",
    status: "failed",
    error: failureOf(fault),
    output: [],
  };
  return renderResponseEvents([{ type: "response.failed", sequence_number: 0, response }]);
}

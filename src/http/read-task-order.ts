/**
 * The order of a task as it was sent, by whomever: its model in the path, its parameters in the
 * body, the rest in headers.
 */
import type { CreateTaskCall } from "../serving/tasks/create-task.ts";
import { readIdempotencyKey } from "../idempotency/idempotency-key.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import { checkJsonType } from "./read-json-body.ts";
import type { RouteCall } from "./route.ts";
import { soleHeader } from "./sole-header.ts";

/**
 * `key`: through which it is made. Throws Fault: `unsupported_media_type`, `invalid_request` on the
 * idempotency key.
 */
export function readTaskOrder(
  call: RouteCall<unknown> & { readonly body: Buffer },
  key: KeyRecord,
): CreateTaskCall {
  const { requestId, clientAddress, params, headers, body } = call;
  checkJsonType(headers);
  return {
    requestId,
    key,
    ip: clientAddress,
    model: params["model"] ?? "",
    body,
    callbackUrl: soleHeader(headers["x-callback-url"]),
    idempotencyKey: readIdempotencyKey(headers["idempotency-key"]),
  };
}

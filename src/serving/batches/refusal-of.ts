/** A fault as the answer of a line, in the form of the batch's protocol. */
import type { LineAnswer } from "../../batches/batch-record.ts";
import type { BatchShape } from "../../contract/enums/batch-state.ts";
import type { Fault } from "../../kernel/faults.ts";
import { formatRequestId, type Uuid } from "../../kernel/ids.ts";
import { redactKeySecrets } from "../../kernel/secrets.ts";
import { renderAnthropicError } from "../../protocol/anthropic/render-error.ts";
import { renderOpenAiError } from "../../protocol/openai/render-error.ts";

/** `requestId`: null where it never came to a request. */
export function refusalOf(shape: BatchShape, fault: Fault, requestId: Uuid | null): LineAnswer {
  const { status, body } =
    shape === "anthropic"
      ? renderAnthropicError(fault, requestId === null ? "" : formatRequestId(requestId))
      : renderOpenAiError(fault);
  // A secret that was sent in the wrong place stays out of what is kept.
  return { state: "errored", status, body: Buffer.from(redactKeySecrets(body)) };
}

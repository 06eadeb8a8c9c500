/** An answer to be kept, of an account of its own, with room for it. */
import { newUuid } from "../../src/kernel/ids.ts";
import type { NewResponse } from "../../src/responses/stored-response.ts";

export function newResponse(change: Partial<NewResponse> = {}): NewResponse {
  const requestId = change.requestId ?? newUuid();
  return {
    accountId: newUuid(),
    responseId: `resp_${requestId.replaceAll("-", "")}`,
    requestId,
    model: "m",
    previousId: null,
    anew: false,
    turns: 1,
    replayedBytes: 100,
    sealedInput: Buffer.from("sealed input"),
    sealedResponse: Buffer.from("sealed answer"),
    itemIds: [],
    retentionSeconds: 3_600,
    quotaBytes: 1_000_000,
    ...change,
  };
}

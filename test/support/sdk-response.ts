/** What the official OpenAI SDK makes of the bytes of a Responses stream. */
import OpenAI from "openai";
import type { Response as ApiResponse } from "openai/resources/responses/responses";

/**
 * The response that `responses.stream()` accumulates, also one that failed; rejects where the SDK
 * does not take the stream for a response that came to its end.
 */
export async function sdkResponse(stream: Buffer): Promise<ApiResponse> {
  const client = new OpenAI({
    apiKey: "k",
    maxRetries: 0,
    fetch: async () =>
      new Response(new Uint8Array(stream), { headers: { "content-type": "text/event-stream" } }),
  });
  return client.responses.stream({ model: "m", input: "x" }).finalResponse();
}

/** What the official Anthropic SDK makes of the bytes of a stream. */
import Anthropic from "@anthropic-ai/sdk";

/**
 * The message that `messages.stream()` accumulates; rejects where the SDK does not take the stream
 * for a whole answer.
 */
export async function sdkMessage(stream: Buffer): Promise<Record<string, unknown>> {
  const client = new Anthropic({
    apiKey: "k",
    maxRetries: 0,
    fetch: async () =>
      new Response(new Uint8Array(stream), { headers: { "content-type": "text/event-stream" } }),
  });
  const message = await client.messages
    .stream({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "x" }] })
    .finalMessage();
  // The SDK's own addition, for its structured answers.
  const { parsed_output: _added, ...reported } = message;
  return JSON.parse(JSON.stringify(reported)) as Record<string, unknown>;
}

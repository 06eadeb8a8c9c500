/** What the official OpenAI SDK makes of the bytes of a stream. */
import OpenAI from "openai";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";

export interface SdkCompletion {
  readonly completion: ChatCompletion;
  /**
   * `reasoning_content` of all chunks: the SDK keeps only the last piece of a field that it does
   * not know.
   */
  readonly reasoning: string;
}

/**
 * The completion that `chat.completions.stream()` accumulates; rejects where the SDK does not take
 * the stream for a whole answer.
 */
export async function sdkCompletion(stream: Buffer): Promise<SdkCompletion> {
  const client = new OpenAI({
    apiKey: "k",
    maxRetries: 0,
    fetch: async () =>
      new Response(new Uint8Array(stream), { headers: { "content-type": "text/event-stream" } }),
  });
  const running = client.chat.completions.stream({
    model: "m",
    messages: [{ role: "user", content: "x" }],
  });
  let reasoning = "";
  running.on("chunk", (chunk: ChatCompletionChunk) => {
    for (const { delta } of chunk.choices) {
      if ("reasoning_content" in delta && typeof delta.reasoning_content === "string")
        reasoning += delta.reasoning_content;
    }
  });
  const completion = await running.finalChatCompletion();
  return { completion: JSON.parse(JSON.stringify(completion)) as ChatCompletion, reasoning };
}

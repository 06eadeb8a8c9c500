/**
 * A whole completion as the stream that says the same, for upstreams that answer whole where a
 * stream was asked for.
 */
import { isRecord } from "../json/is-record.ts";

/**
 * Of each choice one chunk with all it says, and one with why it ended; then the usage, and
 * `[DONE]`.
 */
export function streamCompletion(data: Record<string, unknown>): Buffer {
  const { choices, usage, ...head } = data;
  const list: readonly unknown[] = Array.isArray(choices) ? choices : [];
  const chunks: object[] = list
    .filter(isRecord)
    .flatMap(({ message, finish_reason: reason, ...rest }, index) => [
      { choices: [{ index, ...rest, delta: deltaOf(message), finish_reason: null }] },
      ...(typeof reason === "string"
        ? [{ choices: [{ index, ...indexOf(rest), delta: {}, finish_reason: reason }] }]
        : []),
    ]);
  if (isRecord(usage)) chunks.push({ choices: [], usage });
  const events = chunks.map(
    (chunk) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk })}\n\n`,
  );
  return Buffer.from(`${events.join("")}data: [DONE]\n\n`);
}

function indexOf({ index }: Record<string, unknown>): object {
  return index === undefined ? {} : { index };
}

/** Calls in a stream have indexes. */
function deltaOf(message: unknown): object {
  if (!isRecord(message)) return {};
  const calls: unknown = message["tool_calls"];
  if (!Array.isArray(calls)) return message;
  return {
    ...message,
    tool_calls: calls.map((call: unknown, index) => (isRecord(call) ? { index, ...call } : call)),
  };
}

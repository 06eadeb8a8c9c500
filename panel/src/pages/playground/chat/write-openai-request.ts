/** A talk as the body of a Chat Completions request. */
import { readSchema, readTools, SCHEMA_NAME, stopsOf } from "./chat-settings.ts";
import type { ChatSettings } from "./chat-settings.ts";
import type { Turn } from "./conversation.ts";

export function writeOpenAiRequest(
  model: string,
  settings: ChatSettings,
  turns: readonly Turn[],
): Readonly<Record<string, unknown>> {
  const { system, temperature, topP, maxTokens, effort, stream, toolChoice } = settings;
  const { tools } = readTools(settings.tools);
  const stop = stopsOf(settings);
  return {
    model,
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      ...turns.flatMap(messagesOf),
    ],
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(effort === "none" ? {} : { reasoning_effort: effort }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => ({ type: "function", function: tool })),
          tool_choice: toolChoice,
        }),
    ...formatOf(settings),
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function formatOf(settings: ChatSettings): Readonly<Record<string, unknown>> {
  const { schema } = readSchema(settings);
  if (schema !== null)
    return {
      response_format: {
        type: "json_schema",
        json_schema: { name: SCHEMA_NAME, schema, strict: true },
      },
    };
  return settings.format === "json" ? { response_format: { type: "json_object" } } : {};
}

function messagesOf(turn: Turn): readonly object[] {
  switch (turn.kind) {
    case "user":
      if (turn.pictures.length === 0) return [{ role: "user", content: turn.text }];
      return [
        {
          role: "user",
          content: [
            ...turn.pictures.map(({ dataUrl }) => ({
              type: "image_url",
              image_url: { url: dataUrl },
            })),
            ...(turn.text === "" ? [] : [{ type: "text", text: turn.text }]),
          ],
        },
      ];
    case "results":
      return turn.results.map(({ callId, text }) => ({
        role: "tool",
        tool_call_id: callId,
        content: text,
      }));
    case "answer": {
      const { text, calls } = turn.answer;
      if (text === "" && calls.length === 0) return [];
      const toolCalls = calls.map(({ id, name, arguments: given }) => ({
        id,
        type: "function",
        function: { name, arguments: given },
      }));
      return [
        {
          role: "assistant",
          content: text === "" ? null : text,
          ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
      ];
    }
  }
}

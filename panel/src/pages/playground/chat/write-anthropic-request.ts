/** A talk as the body of a Messages request. */
import { DEFAULT_MAX_TOKENS, readSchema, readTools, stopsOf } from "./chat-settings.ts";
import type { ChatSettings, ToolChoice } from "./chat-settings.ts";
import type { Answer, Turn } from "./conversation.ts";

const CHOICES: Readonly<Record<ToolChoice, string>> = {
  auto: "auto",
  none: "none",
  required: "any",
};

export function writeAnthropicRequest(
  model: string,
  settings: ChatSettings,
  turns: readonly Turn[],
): Readonly<Record<string, unknown>> {
  const { system, temperature, topP, maxTokens, budget, stream, toolChoice } = settings;
  const { tools } = readTools(settings.tools);
  const stop = stopsOf(settings);
  const { schema } = readSchema(settings);
  return {
    model,
    max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    ...(system === "" ? {} : { system }),
    messages: turns.flatMap(messagesOf),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...(budget === null ? {} : { thinking: { type: "enabled", budget_tokens: budget } }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            ...(description === undefined ? {} : { description }),
            input_schema: parameters ?? { type: "object" },
          })),
          tool_choice: { type: CHOICES[toolChoice] },
        }),
    ...(schema === null ? {} : { output_config: { format: { type: "json_schema", schema } } }),
    ...(stream ? { stream: true } : {}),
  };
}

function messagesOf(turn: Turn): readonly object[] {
  switch (turn.kind) {
    case "user":
      if (turn.pictures.length === 0) return [{ role: "user", content: turn.text }];
      return [
        {
          role: "user",
          content: [
            ...turn.pictures.map(({ mediaType, dataUrl }) => ({
              type: "image",
              source: {
                type: "base64",
                media_type: mediaType,
                data: dataUrl.slice(dataUrl.indexOf(",") + 1),
              },
            })),
            ...(turn.text === "" ? [] : [{ type: "text", text: turn.text }]),
          ],
        },
      ];
    case "results":
      return [
        {
          role: "user",
          content: turn.results.map(({ callId, text }) => ({
            type: "tool_result",
            tool_use_id: callId,
            content: text,
          })),
        },
      ];
    case "answer": {
      const content = blocksOf(turn.answer);
      return content.length === 0 ? [] : [{ role: "assistant", content }];
    }
  }
}

function blocksOf({ text, thinking, signature, calls }: Answer): readonly object[] {
  const spoken = [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, name, arguments: given }) => ({
      type: "tool_use",
      id,
      name,
      input: readInput(given),
    })),
  ];
  // Thoughts come back with what they led to, and only as they were signed.
  return spoken.length === 0 || signature === ""
    ? spoken
    : [{ type: "thinking", thinking, signature }, ...spoken];
}

function readInput(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text) as unknown;
  } catch {
    return {};
  }
}

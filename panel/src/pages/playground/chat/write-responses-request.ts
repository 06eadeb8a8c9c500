/** A talk as the body of a Responses request. */
import { readSchema, readTools, SCHEMA_NAME } from "./chat-settings.ts";
import type { ChatSettings } from "./chat-settings.ts";
import type { Turn } from "./conversation.ts";

export function writeResponsesRequest(
  model: string,
  settings: ChatSettings,
  turns: readonly Turn[],
): Readonly<Record<string, unknown>> {
  const { system, temperature, topP, maxTokens, effort, stream, toolChoice } = settings;
  const { tools } = readTools(settings.tools);
  return {
    model,
    ...(system === "" ? {} : { instructions: system }),
    input: turns.flatMap(itemsOf),
    ...(maxTokens === null ? {} : { max_output_tokens: maxTokens }),
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...(effort === "none" ? {} : { reasoning: { effort, summary: "auto" } }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => ({ type: "function", strict: false, ...tool })),
          tool_choice: toolChoice,
        }),
    ...formatOf(settings),
    store: false,
    include: ["reasoning.encrypted_content"],
    ...(stream ? { stream: true } : {}),
  };
}

function formatOf(settings: ChatSettings): Readonly<Record<string, unknown>> {
  const { schema } = readSchema(settings);
  if (schema !== null)
    return { text: { format: { type: "json_schema", name: SCHEMA_NAME, schema, strict: true } } };
  return settings.format === "json" ? { text: { format: { type: "json_object" } } } : {};
}

function itemsOf(turn: Turn): readonly object[] {
  switch (turn.kind) {
    case "user":
      return [
        {
          role: "user",
          content: [
            ...turn.pictures.map(({ dataUrl }) => ({ type: "input_image", image_url: dataUrl })),
            ...(turn.text === "" ? [] : [{ type: "input_text", text: turn.text }]),
          ],
        },
      ];
    case "results":
      return turn.results.map(({ callId, text }) => ({
        type: "function_call_output",
        call_id: callId,
        output: text,
      }));
    case "answer": {
      const { text, thinking, signature, calls } = turn.answer;
      return [
        ...(signature === ""
          ? []
          : [
              {
                type: "reasoning",
                summary: thinking === "" ? [] : [{ type: "summary_text", text: thinking }],
                encrypted_content: signature,
              },
            ]),
        ...(text === "" ? [] : [{ role: "assistant", content: [{ type: "output_text", text }] }]),
        ...calls.map(({ id, name, arguments: given }) => ({
          type: "function_call",
          call_id: id,
          name,
          arguments: given,
        })),
      ];
    }
  }
}

/** The `message` object. */
import type { Answer } from "../compose-answer.ts";
import type { Served } from "../dialect.ts";
import type { JsonObject } from "../is-object.ts";
import { signThinking } from "./sign-thinking.ts";
import { usageBody } from "./usage-body.ts";

/** A content block, whole, and the texts of its deltas are made of. */
export type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

export function wholeAnswer(served: Served): unknown {
  const [answer] = served.answers;
  return {
    ...messageShell(served),
    content: answer === undefined ? [] : blocksOf(answer, served.conversation.showReasoning),
    ...(answer === undefined ? {} : stopFields(answer)),
    ...(served.figures === null ? {} : { usage: usageBody(served.figures) }),
  };
}

export function messageShell(served: Served): JsonObject {
  return {
    id: `msg_${served.id}`,
    type: "message",
    role: "assistant",
    model: served.conversation.model,
    container: null,
  };
}

export function blocksOf(answer: Answer, showReasoning: boolean): Block[] {
  const blocks: Block[] = [];
  const thinking = showReasoning ? answer.reasoning : "";
  if (answer.reasoning !== "")
    blocks.push({ type: "thinking", thinking, signature: signThinking(thinking) });
  const text = answer.refusal ?? answer.text;
  if (text !== "") blocks.push({ type: "text", text });
  for (const call of answer.calls)
    blocks.push({
      type: "tool_use",
      id: `toolu_${call.id}`,
      name: call.name,
      input: JSON.parse(call.arguments) as unknown,
    });
  return blocks;
}

const STOP_REASONS = {
  stop: "end_turn",
  "stop-sequence": "stop_sequence",
  length: "max_tokens",
  tools: "tool_use",
  refusal: "refusal",
} as const;

export function stopFields(answer: Answer): JsonObject {
  return {
    stop_reason: STOP_REASONS[answer.finish],
    stop_sequence: answer.stopSequence,
    stop_details:
      answer.refusal === null
        ? null
        : { type: "refusal", category: null, explanation: answer.refusal },
  };
}

/** The `chat.completion` object. */
import type { Answer } from "../compose-answer.ts";
import type { Served } from "../dialect.ts";
import { usageBody } from "./usage-body.ts";

export function wholeAnswer(served: Served): unknown {
  return {
    id: `chatcmpl-${served.id}`,
    object: "chat.completion",
    created: served.created,
    model: served.conversation.model,
    choices: served.answers.map((answer, index) => ({
      index,
      message: messageOf(answer, served.conversation.showReasoning),
      logprobs: null,
      finish_reason: finishReason(answer),
    })),
    ...(served.figures === null ? {} : { usage: usageBody(served.figures) }),
    service_tier: "default",
    system_fingerprint: "fp_sandbox",
  };
}

export function finishReason(answer: Answer): "stop" | "length" | "tool_calls" {
  if (answer.finish === "tools") return "tool_calls";
  return answer.finish === "length" ? "length" : "stop";
}

export function callId(id: string): string {
  return `call_${id}`;
}

function messageOf(answer: Answer, showReasoning: boolean): unknown {
  const calls = answer.calls.map((call) => ({
    id: callId(call.id),
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));
  return {
    role: "assistant",
    content: calls.length > 0 || answer.refusal !== null ? null : answer.text,
    refusal: answer.refusal,
    annotations: [],
    ...(showReasoning && answer.reasoning !== "" ? { reasoning_content: answer.reasoning } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

/**
 * The stream of `chat.completion.chunk` events: role, reasoning, words or calls, finish, usage
 * where asked, `[DONE]`.
 */
import type { Answer } from "../compose-answer.ts";
import type { Served } from "../dialect.ts";
import { splitPieces } from "../split-pieces.ts";
import { usageBody } from "./usage-body.ts";
import { callId, finishReason } from "./whole-answer.ts";

type Delta = Record<string, unknown>;

/** Choices are interleaved word by word, as a vendor that generates them side by side does. */
export function* answerEvents(served: Served): Generator<string> {
  const reportsUsage = served.conversation.includeUsage && served.figures !== null;
  const chunk = (choices: unknown[], usage: unknown): string =>
    `data: ${JSON.stringify({
      id: `chatcmpl-${served.id}`,
      object: "chat.completion.chunk",
      created: served.created,
      model: served.conversation.model,
      service_tier: "default",
      system_fingerprint: "fp_sandbox",
      choices,
      ...(reportsUsage ? { usage } : {}),
    })}\n\n`;

  const streams = served.answers.map((answer) => deltas(answer, served.conversation.showReasoning));
  const longest = Math.max(0, ...streams.map((stream) => stream.length));
  for (let at = 0; at < longest; at++) {
    for (const [index, stream] of streams.entries()) {
      const delta = stream[at];
      if (delta !== undefined)
        yield chunk([{ index, delta, logprobs: null, finish_reason: null }], null);
    }
  }
  for (const [index, answer] of served.answers.entries()) {
    yield chunk([{ index, delta: {}, logprobs: null, finish_reason: finishReason(answer) }], null);
  }
  if (served.conversation.includeUsage && served.figures !== null)
    yield chunk([], usageBody(served.figures));
  if (!served.directives.noDone) yield "data: [DONE]\n\n";
}

function deltas(answer: Answer, showReasoning: boolean): Delta[] {
  const made: Delta[] = [
    { role: "assistant", content: answer.calls.length > 0 ? null : "", refusal: null },
  ];
  if (showReasoning)
    for (const piece of splitPieces(answer.reasoning)) made.push({ reasoning_content: piece });
  for (const piece of splitPieces(answer.refusal ?? "")) made.push({ refusal: piece });
  for (const piece of splitPieces(answer.text)) made.push({ content: piece });
  for (const [index, call] of answer.calls.entries()) {
    made.push({
      tool_calls: [
        {
          index,
          id: callId(call.id),
          type: "function",
          function: { name: call.name, arguments: "" },
        },
      ],
    });
    for (const piece of splitPieces(call.arguments))
      made.push({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  return made;
}

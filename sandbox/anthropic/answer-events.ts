/**
 * The stream of Messages events, each with its `event:` line: start, blocks one after the other,
 * delta, stop.
 */
import type { Served } from "../dialect.ts";
import type { JsonObject } from "../is-object.ts";
import { splitPieces } from "../split-pieces.ts";
import { deltaUsageBody, startUsageBody } from "./usage-body.ts";
import { blocksOf, messageShell, stopFields, type Block } from "./whole-answer.ts";

export function* answerEvents(served: Served): Generator<string> {
  const { figures, directives } = served;
  const [answer] = served.answers;
  if (answer === undefined) return;
  const startUsage = figures === null ? {} : { usage: startUsageBody(figures) };
  yield event("message_start", {
    message: {
      ...messageShell(served),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      ...startUsage,
    },
  });
  for (const [index, block] of blocksOf(answer, served.conversation.showReasoning).entries()) {
    yield event("content_block_start", { index, content_block: emptied(block) });
    if (index === 0) yield event("ping", {});
    for (const delta of deltas(block)) yield event("content_block_delta", { index, delta });
    yield event("content_block_stop", { index });
  }
  const usage =
    figures === null || figures.placement === "start" ? {} : { usage: deltaUsageBody(figures) };
  yield event("message_delta", { delta: { ...stopFields(answer), container: null }, ...usage });
  if (!directives.noDone) yield event("message_stop", {});
}

function event(type: string, rest: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

function emptied(block: Block): JsonObject {
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  if (block.type === "text") return { type: "text", text: "" };
  return { ...block, input: {} };
}

function deltas(block: Block): JsonObject[] {
  if (block.type === "text")
    return splitPieces(block.text).map((text) => ({ type: "text_delta", text }));
  if (block.type === "tool_use") {
    return splitPieces(JSON.stringify(block.input)).map((partial) => ({
      type: "input_json_delta",
      partial_json: partial,
    }));
  }
  return [
    ...splitPieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature: block.signature },
  ];
}

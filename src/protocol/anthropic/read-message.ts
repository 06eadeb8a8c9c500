/**
 * A whole (non-streamed) answer of a Messages upstream, read into what the gateway needs to know of
 * it.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { AnswerReading } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { HideWords } from "../operator-words.ts";
import { blockText, hasSilentBlock } from "./generated-text.ts";
import { readMessagesError } from "./read-error.ts";
import { readMessagesUsage } from "./read-usage.ts";
import { usedOfMessage } from "./read-used.ts";

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/**
 * `error` also when a 200 carries an error object; `garbage` when the body is no message at all.
 * Never throws.
 */
export function readMessage(body: Buffer, hide?: HideWords): AnswerReading {
  let data: unknown;
  try {
    data = JSON.parse(body.toString("utf8"));
  } catch {
    return { kind: "garbage", ...sayReason("answer_not_json") };
  }
  if (!isRecord(data))
    return { kind: "garbage", ...sayReason("no_answer", { expected: "message" }) };
  const { content } = data;
  if (
    Boolean(data["error"]) ||
    data["type"] === "error" ||
    (content === undefined && data["detail"] !== undefined)
  ) {
    return { kind: "error", error: readMessagesError(data, hide) };
  }
  if (!Array.isArray(content))
    return { kind: "garbage", ...sayReason("no_answer", { expected: "message" }) };
  let text = "";
  let silent = false;
  for (const block of content) {
    if (!isRecord(block)) continue;
    text += blockText(block);
    silent ||= hasSilentBlock(block);
  }
  return {
    kind: "answer",
    usage: readMessagesUsage(data["usage"]),
    text,
    hasContent: text !== "" || silent,
    finishReason: textOrNull(data["stop_reason"]),
    model: textOrNull(data["model"]),
    modelAt: null,
    used: usedOfMessage(data),
    reportedUsage: data["usage"],
    data,
  };
}

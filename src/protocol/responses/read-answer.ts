/** A whole (non-streamed) answer of a Responses upstream, read into what the gateway needs. */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { AnswerReading } from "../chat-dialect.ts";
import { isRecord } from "../json/is-record.ts";
import type { HideWords } from "../operator-words.ts";
import { isBareError } from "../read-upstream-error.ts";
import { finishWord } from "./finish-words.ts";
import { failureOf, readResponsesError } from "./read-error.ts";
import { readResponsesUsage } from "./read-usage.ts";
import { usedOfResponse } from "./read-used.ts";
import { ReportedText } from "./reported-text.ts";

const NO_ANSWER = { kind: "garbage", ...sayReason("no_answer", { expected: "response" }) } as const;

/**
 * `error` also when a 200 carries a response that failed, or an error object; `garbage` when the
 * body is no response at all. Never throws.
 */
export function readResponse(body: Buffer, hide?: HideWords): AnswerReading {
  let data: unknown;
  try {
    data = JSON.parse(body.toString("utf8"));
  } catch {
    return { kind: "garbage", ...sayReason("answer_not_json") };
  }
  if (!isRecord(data)) return NO_ANSWER;
  const failure = failureOf(data, hide);
  if (failure !== null) return { kind: "error", error: failure };
  const { output, model } = data;
  if (!Array.isArray(output)) {
    return data["object"] === "error" || data["type"] === "error" || isBareError(data)
      ? { kind: "error", error: readResponsesError(data, hide) }
      : NO_ANSWER;
  }
  const { text, silent } = new ReportedText().atEnd(data);
  return {
    kind: "answer",
    usage: readResponsesUsage(data["usage"]),
    text,
    hasContent: silent || text !== "",
    finishReason: finishWord("", data),
    model: typeof model === "string" && model !== "" ? model : null,
    modelAt: null,
    used: usedOfResponse(data),
    reportedUsage: data["usage"],
    data,
  };
}

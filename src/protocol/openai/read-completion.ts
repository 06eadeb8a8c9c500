/**
 * A whole (non-streamed) answer of an OpenAI-protocol upstream, read into what the gateway needs to
 * know of it.
 */
import { sayReason } from "../../contract/sentences/say-reason.ts";
import type { WordedReason } from "../../contract/operator/upstream-reason.ts";
import { isRecord } from "../json/is-record.ts";
import type { HideWords } from "../operator-words.ts";
import type { UsageReading } from "../usage-reading.ts";
import { generatedText, hasSilentPart } from "./generated-text.ts";
import { isBareError, readErrorValue, type UpstreamErrorReading } from "../read-upstream-error.ts";
import { readAnswerUsage } from "./read-usage.ts";

const NOTHING: Record<string, unknown> = {};

export type CompletionReading =
  | {
      readonly kind: "completion";
      readonly usage: UsageReading;
      /** All generated text of all choices, for counting where usage is absent. */
      readonly text: string;
      readonly hasContent: boolean;
      /** One per choice; null where the upstream gave none. */
      readonly finishReasons: readonly (string | null)[];
      readonly data: Record<string, unknown>;
    }
  | UpstreamErrorReading
  | ({ readonly kind: "garbage" } & WordedReason);

/**
 * `error` also when a 200 carries an error object; `garbage` when the body is no completion at all.
 * Never throws.
 */
export function readCompletion(body: Uint8Array, hide?: HideWords): CompletionReading {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let data: unknown;
  try {
    data = JSON.parse(bytes.toString("utf8"));
  } catch {
    return { kind: "garbage", ...sayReason("answer_not_json") };
  }
  if (!isRecord(data))
    return { kind: "garbage", ...sayReason("no_answer", { expected: "chat completion" }) };
  const { choices } = data;
  if (
    Boolean(data["error"]) ||
    data["object"] === "error" ||
    (!Array.isArray(choices) && isBareError(data))
  ) {
    return readErrorValue(data, {
      fallback: "The upstream reported an error without saying which.",
      hide,
    });
  }
  if (!Array.isArray(choices))
    return { kind: "garbage", ...sayReason("no_answer", { expected: "chat completion" }) };
  if (choices.length === 0) return { kind: "garbage", ...sayReason("no_choice") };
  let text = "";
  let silent = false;
  const finishReasons = choices.map((choice: unknown) => {
    const { message, finish_reason: reason }: Record<string, unknown> = isRecord(choice)
      ? choice
      : NOTHING;
    if (isRecord(message)) {
      text += generatedText(message);
      silent ||= hasSilentPart(message);
    }
    return typeof reason === "string" && reason !== "" ? reason : null;
  });
  return {
    kind: "completion",
    usage: readAnswerUsage(data),
    text,
    hasContent: text !== "" || silent,
    finishReasons,
    data,
  };
}

/** A whole (non-streamed) answer of an OpenAI-protocol upstream, read into what the gateway needs to know of it. */
import { isRecord } from "../json/is-record.ts";
import type { UsageReading } from "../usage-reading.ts";
import { generatedText, hasSilentPart } from "./generated-text.ts";
import { readErrorValue, type UpstreamErrorReading } from "../read-upstream-error.ts";
import { readUsage } from "./read-usage.ts";

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
  | { readonly kind: "garbage"; readonly reason: string };

/** `error` also when a 200 carries an error object; `garbage` when the body is no completion at all. Never throws. */
export function readCompletion(body: Uint8Array): CompletionReading {
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
  } catch {
    return { kind: "garbage", reason: "the answer is not JSON" };
  }
  const { error, object, choices, detail } = isRecord(data) ? data : {};
  if (Boolean(error) || object === "error" || (choices === undefined && detail !== undefined)) {
    return readErrorValue(data, "The upstream reported an error without saying which.");
  }
  if (!isRecord(data) || !Array.isArray(choices)) return { kind: "garbage", reason: "the answer is not a chat completion" };
  if (choices.length === 0) return { kind: "garbage", reason: "the answer has no choice" };
  const parts = choices.map((choice: unknown) => (isRecord(choice) ? choice : {}));
  const messages = parts.map((choice) => (isRecord(choice["message"]) ? choice["message"] : {}));
  const text = messages.map(generatedText).join("");
  return {
    kind: "completion",
    usage: readUsage(data["usage"]),
    text,
    hasContent: text !== "" || messages.some(hasSilentPart),
    finishReasons: parts.map(({ finish_reason: reason }) => (typeof reason === "string" && reason !== "" ? reason : null)),
    data,
  };
}

/**
 * Earlier reasoning as chat messages carry it: plain, and sealed in `reasoning_details`
 * (OpenRouter's convention).
 */
import { isRecord } from "../json/is-record.ts";
import type { AssistantPart, ThinkingPart } from "../neutral/neutral-request.ts";
import { isResponsesSeal } from "../reasoning-seal.ts";

export type ReasoningPart = ThinkingPart | Extract<AssistantPart, { kind: "redacted-thinking" }>;

/** Whose seal it is: only the upstreams of that make can open it. */
const CLAUDE = "anthropic-claude-v1";
const RESPONSES = "openai-responses-v1";

function formatOf(seal: string | null): string {
  return seal !== null && isResponsesSeal(seal) ? RESPONSES : CLAUDE;
}

/** A seal of Responses counts only as it was given here: what others carry lacks its item. */
function isKnown(format: unknown, seal: unknown): boolean {
  if (format === undefined || format === null || format === CLAUDE) return true;
  return format === RESPONSES && typeof seal === "string" && isResponsesSeal(seal);
}

export function renderReasoningDetails(parts: readonly ReasoningPart[]): Record<string, unknown>[] {
  return parts.map((part, index) =>
    part.kind === "thinking"
      ? {
          type: "reasoning.text",
          text: part.text,
          signature: part.signature,
          format: formatOf(part.signature),
          index,
        }
      : { type: "reasoning.encrypted", data: part.data, format: formatOf(part.data), index },
  );
}

function readDetail(detail: unknown): ReasoningPart | null {
  if (!isRecord(detail)) return null;
  const { type, text, summary, signature, data, format } = detail;
  if (type === "reasoning.encrypted")
    return isKnown(format, data) && typeof data === "string" && data !== ""
      ? { kind: "redacted-thinking", data }
      : null;
  const words = type === "reasoning.summary" ? summary : text;
  const seal =
    isKnown(format, signature) && typeof signature === "string" && signature !== ""
      ? signature
      : null;
  if (typeof words !== "string" || (words === "" && seal === null)) return null;
  return { kind: "thinking", text: words, signature: seal };
}

/**
 * The reasoning of an assistant message. `reasoning_details` wins, because only it is sealed;
 * `reasoning_content` and `reasoning` are two names for the same text. What is of no use here is
 * dropped, never refused: it is the answer of an earlier turn, not the caller's own.
 */
export function readReasoning(message: Record<string, unknown>): ReasoningPart[] {
  const details: unknown = message["reasoning_details"];
  const parts = Array.isArray(details) ? details.flatMap((detail) => readDetail(detail) ?? []) : [];
  if (parts.length > 0) return parts;
  for (const field of ["reasoning_content", "reasoning"]) {
    const text = message[field];
    if (typeof text === "string" && text !== "")
      return [{ kind: "thinking", text, signature: null }];
  }
  return [];
}

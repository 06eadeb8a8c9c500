/** What an auditor found, and how it is figures. */
import type { ChatTrace } from "./trace.ts";

export interface Violation {
  readonly what: string;
  readonly why: string;
  /** Of the request that it is about; null: it is about no single one. */
  readonly marker: string | null;
  readonly chat: ChatTrace | null;
}

const LONGEST_TEXT = 80;

/** The violation and the whole trace of its request, a line each. */
export function tellViolation({ what, why, marker, chat }: Violation): string {
  const lines = [`VIOLATION ${what}: ${why}`];
  if (chat !== null) {
    const { model, dialect, stream, idempotencyKey, previous, accountId, keyId } = chat;
    const goesOn = previous === null ? "" : ` after ${previous.responseId}`;
    lines.push(
      `  ${marker}: ${dialect} ${model} ${stream ? "stream" : "whole"}${idempotencyKey === null ? "" : " idempotent"}${goesOn}, account ${accountId}, key ${keyId}`,
    );
    for (const attempt of chat.attempts) {
      const { startedMs, firstMs, endedMs, gateway, status, requestId, originalId, end, text } =
        attempt;
      const { usage, costNano } = attempt;
      const words = firstMs === null ? "" : ` words from ${(firstMs / 1000).toFixed(2)}`;
      const figures = `${usage === null ? "" : ` usage ${usage.prompt}+${usage.completion}`}${costNano === null ? "" : ` cost ${costNano}`}`;
      lines.push(
        `    ${(startedMs / 1000).toFixed(2)}–${(endedMs / 1000).toFixed(2)} s${words} gateway ${gateway}: ${status ?? "no answer"} ${end} ${requestId ?? ""}${originalId === null ? "" : ` again of ${originalId}`}${figures} ${text.length} characters ${JSON.stringify(text.slice(0, LONGEST_TEXT))}`,
      );
    }
  }
  return lines.join("\n");
}

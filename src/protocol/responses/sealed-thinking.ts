/**
 * Earlier thinking as the items of this protocol carry it: its text as a summary, and, where an
 * upstream signed it, all of it once more in `encrypted_content`, sealed for the caller's account.
 */
import { openText, sealText, type AccountSeal } from "../account-seal.ts";
import { isRecord } from "../json/is-record.ts";
import type { AssistantPart, ThinkingPart } from "../neutral/neutral-request.ts";

type Thought = ThinkingPart | Extract<AssistantPart, { kind: "redacted-thinking" }>;

const PURPOSE = "thinking";

/** Null where nothing could be sealed that an upstream would take back. */
export function sealThought(thought: Thought, seal: AccountSeal | null): string | null {
  if (seal === null || (thought.kind === "thinking" && thought.signature === null)) return null;
  return sealText(seal, PURPOSE, JSON.stringify(thought));
}

/** Null for what another made, or another account, and for what no longer makes sense. */
function openThought(sealed: unknown, seal: AccountSeal | null): Thought | null {
  if (seal === null || typeof sealed !== "string") return null;
  const text = openText(seal, PURPOSE, sealed);
  const value: unknown = text === null ? null : JSON.parse(text);
  if (!isRecord(value)) return null;
  const { kind, text: words, signature, data } = value;
  if (kind === "redacted-thinking" && typeof data === "string") return { kind, data };
  return kind === "thinking" && typeof words === "string" && typeof signature === "string"
    ? { kind, text: words, signature }
    : null;
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) =>
    isRecord(part) && typeof part["text"] === "string" && part["text"] !== "" ? [part["text"]] : [],
  );
}

/**
 * A `reasoning` item. What is sealed wins; else its words are thinking without a signature, which
 * upstreams that sign theirs do not get. Nothing of it is refused: it is of an earlier answer, not
 * the caller's own.
 */
export function readReasoningItem(
  item: Record<string, unknown>,
  seal: AccountSeal | null,
): Thought[] {
  const opened = openThought(item["encrypted_content"], seal);
  if (opened !== null) return [opened];
  const own = textsOf(item["content"]);
  const text = (own.length > 0 ? own : textsOf(item["summary"])).join("\n\n");
  return text === "" ? [] : [{ kind: "thinking", text, signature: null }];
}

/**
 * Reads what Telegram's Bot API (https://core.telegram.org/bots/api#update) gives as an update: no
 * more of it than alerts need.
 */
import { isRecord } from "../../protocol/json/is-record.ts";

export interface TelegramUpdate {
  readonly updateId: number;
  readonly what:
    | {
        readonly kind: "text";
        readonly chat: ChatName;
        readonly text: string;
        /** IETF tag of who wrote; null: not given. */
        readonly language: string | null;
      }
    /** The bot was blocked, or taken out of the chat. */
    | { readonly kind: "left"; readonly chat: ChatName }
    /** Nothing of ours. */
    | { readonly kind: "other" };
}

interface ChatName {
  readonly chatId: bigint;
  /** How people know it: `@name`, or a title. */
  readonly title: string;
}

const MOST_TITLE = 200;
const MOST_TEXT = 4_096;
/** What `my_chat_member` says where the bot can write no more. */
const GONE = new Set(["kicked", "left"]);

/** Null: what came is no update at all, and has no number to go on behind. */
export function readUpdate(value: unknown): TelegramUpdate | null {
  if (!isRecord(value)) return null;
  const { update_id: updateId, message, my_chat_member: membership } = value;
  if (typeof updateId !== "number" || !Number.isSafeInteger(updateId) || updateId < 0) return null;
  const other = { updateId, what: { kind: "other" } } as const;
  if (isRecord(membership)) {
    const chat = chatOf(membership["chat"]);
    const next = membership["new_chat_member"];
    const gone = isRecord(next) && typeof next["status"] === "string" && GONE.has(next["status"]);
    return chat === null || !gone ? other : { updateId, what: { kind: "left", chat } };
  }
  if (!isRecord(message) || typeof message["text"] !== "string") return other;
  const chat = chatOf(message["chat"]);
  if (chat === null) return other;
  const from = message["from"];
  const language =
    isRecord(from) && typeof from["language_code"] === "string" ? from["language_code"] : null;
  return {
    updateId,
    what: { kind: "text", chat, text: message["text"].slice(0, MOST_TEXT), language },
  };
}

/** Ids of chats have up to 52 bits. */
function chatOf(value: unknown): ChatName | null {
  if (!isRecord(value)) return null;
  const { id, username, title, first_name: firstName } = value;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id === 0) return null;
  const named =
    nonEmpty(title) ?? (nonEmpty(username) === null ? nonEmpty(firstName) : `@${String(username)}`);
  return { chatId: BigInt(id), title: [...(named ?? String(id))].slice(0, MOST_TITLE).join("") };
}

function nonEmpty(value: unknown): string | null {
  // What cannot stand in a column of text is no name.
  return typeof value === "string" && value.trim() !== "" && !value.includes("\0")
    ? value.trim()
    : null;
}

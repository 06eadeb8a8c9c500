/** What one request at `/v1/responses` has to do with answers that are kept. */
import type { Uuid } from "../../kernel/ids.ts";
import type { ConversationNeeds } from "../../protocol/responses/conversation-needs.ts";

export interface Conversation {
  /** The body as it was sent: what makes it the same request again. */
  readonly sent: Buffer;
  /** What of it its receipt says. */
  readonly onReceipt: ConversationReceipt;
  /** Null: its answer is not to be kept. */
  readonly keep: KeepAnswer | null;
}

/** Resolves when it is known: true once it is committed. Never rejects. */
export type KeepAnswer = (answer: Readonly<Record<string, unknown>>) => Promise<boolean>;

/** JSON-safe. */
export interface ConversationReceipt {
  /** The answer that it went on from. */
  readonly previousId?: string;
  /** How many items were put before its own, and are part of its input. */
  readonly replayedItems?: number;
  /** It asked for a summary of the conversation. */
  readonly compaction?: true;
}

export interface ConversationCall {
  readonly accountId: Uuid;
  /** Null: it is not made, so nothing of it is kept. */
  readonly requestId: Uuid | null;
  /** False: it finds no kept answer, as if the account had none. */
  readonly seesKept: boolean;
  readonly model: string;
  /** As it was sent. */
  readonly body: Buffer;
  /** The same as a value. */
  parsed(): Readonly<Record<string, unknown>>;
  readonly needs: ConversationNeeds;
}

/** The request as it is to be read: whole, with nothing in it that only we could resolve. */
export interface PreparedRequest {
  /** Null: as it was sent. */
  readonly body: Buffer | null;
  readonly conversation: Conversation;
}

export interface Conversations {
  /**
   * Throws the fault that the request is refused with: an answer or an item that is not kept for
   * this account, a summary that was not made for it, a conversation that is too long.
   */
  prepare(call: ConversationCall): Promise<PreparedRequest>;
}

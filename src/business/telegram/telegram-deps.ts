/** What the use cases of the operator's bot are made of. */
import type { Db } from "../../db/database.ts";
import type { TokenHash } from "../../kernel/opaque-token.ts";
import type { Seal } from "../../kernel/seal.ts";
import type { TelegramBot } from "../../upstreams/telegram/telegram-bot.ts";

export interface TelegramDeps {
  readonly db: Db;
  /** Of what waits to be sent. */
  readonly seal: Seal;
  readonly hashToken: TokenHash;
  /** Null: the operator has set none. */
  readonly bot: TelegramBot | null;
  /** Where people reach the panel, without a slash at its end. */
  baseUrl(): string;
}

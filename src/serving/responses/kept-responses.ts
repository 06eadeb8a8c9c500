/** What an account asks of its kept answers: one, what was sent for it, and that it goes. */
import type { Queryable } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import type { Seal } from "../../kernel/seal.ts";
import { namedItems, type Item } from "../../protocol/responses/input-items.ts";
import { deleteResponse, findResponse } from "../../responses/responses.store.ts";
import type { ResponseName } from "../../responses/stored-response.ts";
import { openAnswerText, openInput } from "./response-seal.ts";

export interface KeptResponsesDeps {
  readonly db: Queryable;
  readonly seal: Seal;
  /** Hears of an answer that does not open: SESSION_SECRET was changed. */
  onUnopened(name: ResponseName): void;
}

export interface ItemsPage {
  /** The id of the item that the page begins behind; null: it is the first one. */
  readonly after: string | null;
  readonly limit: number;
  readonly order: "asc" | "desc";
}

export interface KeptResponses {
  /** As JSON. Null: the account has no such answer; another's is as good as none. */
  find(accountId: Uuid, responseId: string): Promise<string | null>;
  /**
   * The items that were sent for it. Null as above; `unknown-item`: `after` names none of them.
   */
  listInput(
    accountId: Uuid,
    responseId: string,
    page: ItemsPage,
  ): Promise<{ readonly items: readonly Item[]; readonly more: boolean } | "unknown-item" | null>;
  /** False as above. */
  delete(accountId: Uuid, responseId: string): Promise<boolean>;
}

export function createKeptResponses(deps: KeptResponsesDeps): KeptResponses {
  const { db, seal } = deps;

  /** What does not open is as good as gone. */
  function reported<T>(name: ResponseName, opened: T | null): T | null {
    if (opened === null) deps.onUnopened(name);
    return opened;
  }

  return {
    async find(accountId, responseId) {
      const stored = await findResponse(db, { accountId, responseId });
      if (stored === null) return null;
      return reported({ accountId, responseId }, openAnswerText(seal, accountId, stored));
    },

    async listInput(accountId, responseId, { after, limit, order }) {
      const stored = await findResponse(db, { accountId, responseId });
      if (stored === null) return null;
      const input = reported({ accountId, responseId }, openInput(seal, accountId, stored));
      if (input === null) return null;
      const named = namedItems(input.items, responseId.replace(/^resp_/, ""));
      const items = order === "asc" ? named : named.toReversed();
      const at = after === null ? -1 : items.findIndex(({ id }) => id === after);
      if (after !== null && at < 0) return "unknown-item";
      const page = items.slice(at + 1, at + 1 + limit);
      return { items: page, more: at + 1 + limit < items.length };
    },

    delete: (accountId, responseId) => deleteResponse(db, { accountId, responseId }),
  };
}

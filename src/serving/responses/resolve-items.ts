/**
 * Puts in place of items that only the gateway understands what they stand for: references to items
 * of kept answers, and summaries that it sealed.
 */
import type { Queryable } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { CHAT_BODY_LIMIT_BYTES } from "../../kernel/limits.ts";
import type { Seal } from "../../kernel/seal.ts";
import { openCompaction } from "../../protocol/responses/compaction.ts";
import { COMPACTION, isReference } from "../../protocol/responses/conversation-needs.ts";
import type { Item } from "../../protocol/responses/input-items.ts";
import { findItemOwners, findResponses } from "../../responses/responses.store.ts";
import { openAnswer, outputOf } from "./response-seal.ts";

export interface ResolveDeps {
  readonly db: Queryable;
  readonly seal: Seal;
}

/** References in one request. */
const MOST_REFERENCES = 2_000;

/**
 * `kept`: of which account items are found. Throws a Fault that names the first item that it does
 * not have.
 */
export async function resolveItems(
  deps: ResolveDeps,
  { accountId, kept }: { readonly accountId: Uuid; readonly kept: Uuid },
  items: readonly Item[],
): Promise<readonly Item[]> {
  const referred = new Set(items.filter(isReference).map(({ id }) => String(id)));
  const found = referred.size === 0 ? NONE : await findItems(deps, kept, [...referred]);
  return items.flatMap((item) => {
    if (isReference(item)) return found.get(String(item["id"])) ?? unfound(item);
    if (item["type"] !== COMPACTION) return item;
    return openCompaction({ seal: deps.seal, accountId }, item) ?? refuseCompaction();
  });
}

const NONE: ReadonlyMap<string, Item> = new Map();

async function findItems(
  { db, seal }: ResolveDeps,
  accountId: Uuid,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Item>> {
  if (ids.length > MOST_REFERENCES)
    throw new Fault("invalid_request", {
      message: `The input refers to more than ${MOST_REFERENCES} items. Send the items themselves.`,
      param: "input",
    });
  const owners = await findItemOwners(db, accountId, ids);
  if (owners.reduce((sum, { bytes }) => sum + bytes, 0) > 2 * CHAT_BODY_LIMIT_BYTES)
    throw new Fault("request_too_large", {
      message:
        "The answers whose items the input refers to are too large together. Send the items themselves, or begin anew with a summary.",
      param: "input",
    });
  const stored = await findResponses(
    db,
    accountId,
    owners.map(({ responseId }) => responseId),
  );
  const items = new Map<string, Item>();
  for (const one of stored)
    for (const item of outputOf(openAnswer(seal, accountId, one) ?? {}))
      if (typeof item["id"] === "string") items.set(item["id"], item);
  return items;
}

/** Thinking is of no use without its seal, and the conversation goes on without it. */
function unfound(item: Item): readonly Item[] {
  const id = String(item["id"]);
  if (id.startsWith("rs_")) return [];
  throw new Fault("not_found", {
    message: `Item with id '${id.slice(0, 128)}' not found. Items are not kept when \`store\` is false, and no longer than the answer that they are of. Send the item itself, or leave it out of the input.`,
    param: "input",
  });
}

function refuseCompaction(): never {
  throw new Fault("invalid_request", {
    message:
      "The input has a 'compaction' item whose 'encrypted_content' was not made here for this account, or was changed. Send the conversation without it.",
    param: "input",
  });
}

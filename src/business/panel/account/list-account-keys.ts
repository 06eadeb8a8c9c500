/** The keys of the member's account, newest first, and one of them by its hash. */
import type { PanelKey, PanelKeyList } from "../../../contract/panel/panel-key.ts";
import type { Db, Queryable } from "../../../db/database.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Fault } from "../../../kernel/faults.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { KeyRecord } from "../../../keys/key-record.ts";
import { findKeyByHash, listKeys } from "../../../keys/store.ts";
import { readPage, type PageRequest } from "../../../serving/read-page.ts";
import { keyView, keyViews } from "./key-view.ts";

/** Throws Fault("invalid_request") on a limit or cursor that cannot be. */
export async function listAccountKeys(
  db: Db,
  clock: Clock,
  accountId: Uuid,
  request: PageRequest & { readonly deleted: boolean; readonly ownerId?: Uuid | null },
): Promise<PanelKeyList> {
  const { deleted, ownerId = null } = request;
  const page = await readPage(
    request,
    (part) => listKeys(db, { accountId, deleted, ownerId, ...part }),
    (key) => key.keyId,
  );
  return { data: await keyViews(db, clock, accountId, page.rows), nextCursor: page.next };
}

export async function readAccountKey(
  db: Db,
  clock: Clock,
  accountId: Uuid,
  hash: string,
): Promise<PanelKey> {
  return keyView(db, clock, await findAccountKey(db, accountId, hash));
}

/**
 * Throws the same Fault("not_found") for another account's key and for one that never was, and for
 * one that is not this member's; `ownerId` null: whosever it is.
 */
export async function findAccountKey(
  q: Queryable,
  accountId: Uuid,
  hash: string,
  ownerId: Uuid | null = null,
): Promise<KeyRecord> {
  const key = await findKeyByHash(q, hash);
  const seen = ownerId === null || key?.ownerId === ownerId;
  if (key === null || key.accountId !== accountId || !seen) throw noSuchKey();
  return key;
}

/** The same for a key that is hidden from the member and for one that never was. */
export function noSuchKey(): Fault {
  return new Fault("not_found", { message: "This account has no such key." });
}

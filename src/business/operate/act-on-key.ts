/**
 * An operator makes and deletes keys of any account, with a row in the audit log that names the key
 * and never has its secret.
 */
import { recordAction, type NewAction } from "./audit.store.ts";
import type { Db } from "../../db/database.ts";
import type { Clock } from "../../kernel/clock.ts";
import { formatRoubles } from "../../kernel/money.ts";
import type { KeyRecord } from "../../keys/key-record.ts";
import { createKey, type NewKeyOutcome, type NewKeyRequest } from "../keys/create-key.ts";
import { deleteKey, type DeleteKeyOutcome } from "../keys/delete-key.ts";
import type { KeySettings } from "../keys/read-key-settings.ts";
import type { Actor } from "./operator.ts";

/** Throws Fault("invalid_request"). */
export function createAnyKey(
  db: Db,
  clock: Clock,
  actor: Actor,
  request: NewKeyRequest,
): Promise<NewKeyOutcome> {
  return createKey(db, clock, request, (tx, key, settings) =>
    recordAction(tx, {
      ...about(actor, key),
      action: "key.create",
      before: null,
      after: { hash: key.hash, ...settingsView(settings) },
    }),
  );
}

/** Of whichever account. */
export function deleteAnyKey(db: Db, actor: Actor, hash: string): Promise<DeleteKeyOutcome> {
  return deleteKey(db, { hash }, (tx, key) =>
    recordAction(tx, {
      ...about(actor, key),
      action: "key.delete",
      before: { hash: key.hash, name: key.name },
      after: null,
    }),
  );
}

function about(
  actor: Actor,
  { accountId, mask }: KeyRecord,
): Omit<NewAction, "action" | "before" | "after"> {
  return { ...actor, accountId, subject: mask, reason: null };
}

function settingsView({ limit, expiresAt, ...rest }: KeySettings): object {
  return {
    ...rest,
    limit:
      limit === null ? null : { amount: formatRoubles(limit.amountNano), period: limit.period },
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

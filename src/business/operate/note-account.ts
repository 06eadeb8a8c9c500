/** Notes what operators know of an account; its members do not see it. */
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import {
  keepNotes,
  lockForNotes,
  NO_NOTES,
  notesOf,
  type AccountNotes,
} from "./account-notes.store.ts";
import { checkRevision } from "../revision.ts";
import { notesRevision } from "./account-revisions.ts";
import { recordAction } from "./audit.store.ts";
import { actorOf, type Operator } from "./operator.ts";

/**
 * Throws Fault("not_found"), Fault("conflict") for a change of another revision. What changes nothing
 * is not logged.
 */
export async function noteAccount(
  db: Db,
  operator: Operator,
  accountId: Uuid,
  { revision, ...wish }: AccountNotes & { readonly revision?: string },
): Promise<void> {
  const after: AccountNotes = {
    note: wish.note.trim(),
    tags: [...new Set(wish.tags.map((tag) => tag.trim()))],
  };
  const actor = actorOf(operator);
  await db.transaction(async (tx) => {
    if (!(await lockForNotes(tx, accountId))) throw new Fault("not_found");
    const before = (await notesOf(tx, [accountId])).get(accountId) ?? NO_NOTES;
    checkRevision(revision, notesRevision(before));
    if (isSame(before, after)) return;
    await keepNotes(tx, accountId, after, actor.actor);
    await recordAction(tx, {
      ...actor,
      action: "account.notes",
      accountId,
      subject: null,
      reason: null,
      before,
      after,
    });
  });
}

function isSame(one: AccountNotes, other: AccountNotes): boolean {
  return one.note === other.note && one.tags.join("\n") === other.tags.join("\n");
}

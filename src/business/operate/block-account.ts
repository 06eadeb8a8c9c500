/**
 * Blocks an account and lets it go again: its keys are refused from the answer on, what runs may
 * finish and is charged.
 */
import { sayRefusal } from "../../contract/sentences/say-refusal.ts";
import {
  blockAccount as block,
  findBlocks,
  unblockAccount as unblock,
} from "../../accounts/blocks.store.ts";
import { recordAction } from "./audit.store.ts";
import type { Db } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { setAccountState } from "../../ledger/accounts.store.ts";
import { recallForCommand } from "../../ledger/recall.ts";
import { actorOf, type Operator } from "./operator.ts";

/**
 * `reason` is shown to the account's members. Throws Fault: `not_found`, `conflict` where it is
 * blocked already.
 */
export async function blockAccount(
  db: Db,
  operator: Operator,
  accountId: Uuid,
  reason: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The ledger is what is exact: no process can set anything aside for it from then on, whatever
    // it remembers of its keys.
    if ((await setAccountState(tx, accountId, "blocked")) === "unknown-account")
      throw new Fault("not_found");
    if (!(await block(tx, accountId, reason.trim())))
      throw new Fault("conflict", sayRefusal("blocked_already"));
    const after = { blocked: true, reason: reason.trim() };
    await recordAction(tx, {
      ...actorOf(operator),
      action: "account.block",
      accountId,
      subject: null,
      reason: reason.trim(),
      before: { blocked: false },
      after,
    });
  });
  await recallForCommand(db, accountId);
}

/** Throws Fault: `not_found`, `conflict` where it is not blocked. */
export function unblockAccount(
  db: Db,
  operator: Operator,
  accountId: Uuid,
  reason: string | null,
): Promise<void> {
  return db.transaction(async (tx) => {
    if ((await setAccountState(tx, accountId, "open")) === "unknown-account")
      throw new Fault("not_found");
    const before = (await findBlocks(tx, [accountId])).get(accountId);
    if (!(await unblock(tx, accountId))) throw new Fault("conflict", sayRefusal("not_blocked"));
    await recordAction(tx, {
      ...actorOf(operator),
      action: "account.unblock",
      accountId,
      subject: null,
      reason,
      before: {
        blocked: true,
        reason: before?.reason ?? null,
        since: before?.at.toISOString() ?? null,
      },
      after: { blocked: false },
    });
  });
}

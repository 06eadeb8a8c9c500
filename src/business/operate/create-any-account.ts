/** An operator opens an account for a customer, with a row in the audit log. */
import { recordAction } from "./audit.store.ts";
import type { Db } from "../../db/database.ts";
import {
  createAccount,
  type NewAccountOutcome,
  type NewAccountRequest,
} from "../accounts/create-account.ts";
import type { Actor } from "./operator.ts";

/** Throws Fault("invalid_request"). */
export function createAnyAccount(
  db: Db,
  actor: Actor,
  request: NewAccountRequest,
): Promise<NewAccountOutcome> {
  return createAccount(db, request, (tx, { accountId, ...after }) =>
    recordAction(tx, {
      ...actor,
      action: "account.create",
      accountId,
      subject: null,
      reason: null,
      before: null,
      after,
    }),
  );
}

/**
 * Opens a customer's account: its name, its empty books, and where asked its first member with a
 * one-time password.
 */
import { hashPassword, newOneTimePassword } from "../../accounts/password.ts";
import { insertAccount, insertMember } from "../../accounts/store.ts";
import type { Db, Tx } from "../../db/database.ts";
import { Fault } from "../../kernel/faults.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { newUuid } from "../../kernel/ids.ts";
import { openAccount } from "../../ledger/accounts.store.ts";
import { readEmail } from "./read-email.ts";
import { readName } from "./read-name.ts";

export interface NewAccountRequest {
  /** 1 to 200 characters. */
  readonly name: string;
  /** Of the first member; null makes an account without members. */
  readonly email: string | null;
  /** The member is an operator of the gateway. */
  readonly operator: boolean;
}

export type NewAccountOutcome =
  | {
      readonly kind: "created";
      readonly accountId: Uuid;
      /** Lower case. */
      readonly email: string | null;
      /** Of the member: to be shown once and changed at the first log-in. It is nowhere else. */
      readonly oneTimePassword: string | null;
    }
  /** Another member has this e-mail; nothing was created. */
  | { readonly kind: "email-taken" };

const LONGEST_NAME = 200;
/** The operator at the command line knows the person, and gives them the password. */
const FIRST_MEMBER = {
  mustChangePassword: true,
  role: "owner",
  language: "ru",
  verified: true,
} as const;

/**
 * Throws Fault("invalid_request") naming the field that is not valid. `record` writes down in the
 * transaction that it was opened, as it is stored.
 */
export async function createAccount(
  db: Db,
  request: NewAccountRequest,
  record?: (tx: Tx, created: NewAccountRequest & { readonly accountId: Uuid }) => Promise<void>,
): Promise<NewAccountOutcome> {
  const name = readName(request.name, LONGEST_NAME);
  const email = request.email === null ? null : readEmail(request.email);
  if (email === null && request.operator) {
    throw new Fault("invalid_request", {
      message: "An operator logs in to the panel, so an e-mail is needed.",
      param: "email",
    });
  }
  const accountId = newUuid();
  const oneTimePassword = email === null ? null : newOneTimePassword();
  // Hashing takes its time on purpose; the transaction does not wait for it.
  const passwordHash = oneTimePassword === null ? null : await hashPassword(oneTimePassword);
  return db.transaction<NewAccountOutcome>(async (tx) => {
    if (email !== null && passwordHash !== null) {
      const member = {
        memberId: newUuid(),
        accountId,
        email,
        passwordHash,
        operator: request.operator,
      };
      if (!(await insertMember(tx, { ...member, ...FIRST_MEMBER }))) return { kind: "email-taken" };
    }
    await insertAccount(tx, { accountId, name });
    await openAccount(tx, accountId);
    await record?.(tx, { accountId, name, email, operator: request.operator });
    return { kind: "created", accountId, email, oneTimePassword };
  });
}

/**
 * A visitor wants an account: it is made with its books and first member, who may log in once the
 * link in the mail came back.
 */
import { findMemberByEmail, replaceSignUp } from "../../accounts/members.store.ts";
import { insertAccount, insertMember } from "../../accounts/store.ts";
import { deleteTokensOf } from "../../accounts/tokens.store.ts";
import type { Language } from "../../contract/enums/language.ts";
import type { Tx } from "../../db/database.ts";
import type { Uuid } from "../../kernel/ids.ts";
import { newUuid } from "../../kernel/ids.ts";
import { openAccount } from "../../ledger/accounts.store.ts";
import { readEmail } from "../accounts/read-email.ts";
import { readName } from "../accounts/read-name.ts";
import { inEvenTime } from "./even-time.ts";
import { mailLink } from "./mail-link.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";
import { checkNewPassword } from "./new-password.ts";

export interface SignUpRequest {
  readonly email: string;
  readonly password: string;
  readonly accountName: string;
  readonly language: Language;
  readonly visitor: Visitor;
}

interface SignUp {
  readonly email: string;
  readonly passwordHash: string;
  readonly accountName: string;
  readonly language: Language;
}

const LONGEST_NAME = 200;

/**
 * Ends the same way and after the same time whether the e-mail is known or not; the mail says the
 * rest.
 */
export async function signUp(deps: MembersDeps, request: SignUpRequest): Promise<void> {
  const email = readEmail(request.email);
  const accountName = readName(request.accountName, LONGEST_NAME);
  checkNewPassword(request.password, email);
  const { throttle, clock, passwords, db } = deps;
  await throttle.takeFrom(request.visitor.address);
  await throttle.take({ kind: "mailFrom", whom: email, from: request.visitor.address });
  await inEvenTime(clock, async () => {
    const passwordHash = await passwords.hash(request.password);
    // No stranger's mailbox is flooded from here.
    if (!(await throttle.tryTake({ kind: "mailTo", whom: email }))) return;
    await db.transaction((tx) =>
      take(tx, deps, { email, passwordHash, accountName, language: request.language }),
    );
  });
}

async function take(tx: Tx, deps: MembersDeps, wanted: SignUp): Promise<void> {
  const { email, passwordHash, accountName, language } = wanted;
  const [memberId, accountId] = [newUuid(), newUuid()];
  const person = { memberId, accountId, email, passwordHash, language };
  if (
    await insertMember(tx, {
      ...person,
      mustChangePassword: false,
      operator: false,
      role: "owner",
      verified: false,
    })
  ) {
    await insertAccount(tx, { accountId, name: accountName });
    await openAccount(tx, accountId);
    return mailLink(tx, deps, { memberId, email, language }, "verify");
  }
  const again = await replaceSignUp(tx, wanted);
  if (again !== null) return mailAgain(tx, deps, again, wanted);
  const known = await findMemberByEmail(tx, email);
  if (known !== null) await deps.mail(tx, known, { kind: "known" });
}

/** Links of the sign-up before would confirm a password that a stranger may have chosen. */
async function mailAgain(
  tx: Tx,
  deps: MembersDeps,
  memberId: Uuid,
  { email, language }: SignUp,
): Promise<void> {
  await deleteTokensOf(tx, memberId, "verify");
  await mailLink(tx, deps, { memberId, email, language }, "verify");
}

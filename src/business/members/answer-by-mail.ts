/**
 * Answers what a visitor asks about an e-mail in a mail to it alone: the call itself ends the same
 * way and after the same time whether the e-mail is known or not.
 */
import { findMemberByEmail, type MemberProfile } from "../../accounts/members.store.ts";
import type { Tx } from "../../db/database.ts";
import { readEmail } from "../accounts/read-email.ts";
import { inEvenTime } from "./even-time.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";

export interface MailRequest {
  readonly email: string;
  readonly visitor: Visitor;
}

/** @param answer what it mails; `member` is null where no member has the e-mail. */
export async function answerByMail(
  { throttle, clock, db }: MembersDeps,
  { email: typed, visitor }: MailRequest,
  answer: (tx: Tx, email: string, member: MemberProfile | null) => Promise<void>,
): Promise<void> {
  const email = readEmail(typed);
  await throttle.takeFrom(visitor.address);
  await throttle.take({ kind: "mailFrom", whom: email, from: visitor.address });
  await inEvenTime(clock, async () => {
    // Too many: the mailbox has mail enough.
    if (!(await throttle.tryTake({ kind: "mailTo", whom: email }))) return;
    await db.transaction(async (tx) => answer(tx, email, await findMemberByEmail(tx, email)));
  });
}

/** Mails a link that sets a new password; a reader without an account is told that instead. */
import { findMemberByEmail } from "../../accounts/members.store.ts";
import { readEmail } from "../accounts/read-email.ts";
import { inEvenTime } from "./even-time.ts";
import { mailLink } from "./mail-link.ts";
import type { MembersDeps, Visitor } from "./members-deps.ts";

/** Ends the same way and after the same time whether the e-mail is known or not. */
export async function forgotPassword(
  deps: MembersDeps,
  request: { readonly email: string; readonly visitor: Visitor },
): Promise<void> {
  const email = readEmail(request.email);
  const { throttle, clock, db } = deps;
  await throttle.takeFrom(request.visitor.address);
  await throttle.take({ kind: "mailFrom", whom: email, from: request.visitor.address });
  await inEvenTime(clock, async () => {
    // Too many: the mailbox has links enough.
    if (!(await throttle.tryTake({ kind: "mailTo", whom: email }))) return;
    await db.transaction(async (tx) => {
      const member = await findMemberByEmail(tx, email);
      if (member === null) await deps.mail(tx, { email, language: "ru" }, { kind: "unknown" });
      else await mailLink(tx, deps, member, "reset");
    });
  });
}

/** Mails a link that sets a new password; a reader without an account is told that instead. */
import { answerByMail, type MailRequest } from "./answer-by-mail.ts";
import { mailLink } from "./mail-link.ts";
import type { MembersDeps } from "./members-deps.ts";

export async function forgotPassword(deps: MembersDeps, request: MailRequest): Promise<void> {
  await answerByMail(deps, request, async (tx, email, member) => {
    if (member === null) await deps.mail(tx, { email, language: "ru" }, { kind: "unknown" });
    else await mailLink(tx, deps, member, "reset");
  });
}

/** Mails another link to confirm an e-mail, where there is something to confirm. */
import { answerByMail, type MailRequest } from "./answer-by-mail.ts";
import { mailLink } from "./mail-link.ts";
import type { MembersDeps } from "./members-deps.ts";

export async function resendVerification(deps: MembersDeps, request: MailRequest): Promise<void> {
  await answerByMail(deps, request, async (tx, _email, member) => {
    if (member === null) return;
    if (member.verified) await deps.mail(tx, member, { kind: "known" });
    else await mailLink(tx, deps, member, "verify");
  });
}

/** Where the link of an invitation leads. */
import type { ReactNode } from "react";
import { TokenPasswordForm } from "../../app/token-password-form.tsx";
import { useAuthTexts } from "../../app/use-auth-texts.ts";

export function Component(): ReactNode {
  const t = useAuthTexts();
  return (
    <TokenPasswordForm
      path="/members/accept"
      title={t.inviteTitle}
      lead={t.inviteLead}
      action={t.accept}
      done={t.accepted}
      gone={t.inviteGone}
    />
  );
}

/** Where the link for a new password leads. */
import type { ReactNode } from "react";
import { TokenPasswordForm } from "../../app/token-password-form.tsx";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { useLinkToken } from "../../ui/use-link-token.ts";

export function Component(): ReactNode {
  const t = useAuthTexts();
  return (
    <TokenPasswordForm
      token={useLinkToken()}
      path="/password/reset"
      title={t.resetTitle}
      lead={t.resetLead}
      action={t.setPassword}
      done={t.resetDone}
      gone={t.resetGone}
    />
  );
}

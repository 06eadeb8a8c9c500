/** Where the link for a new password leads. */
import type { ReactNode } from "react";
import { TokenPasswordForm } from "../../app/token-password-form.tsx";
import { useAuthTexts } from "../../app/use-auth-texts.ts";

export function Component(): ReactNode {
  const t = useAuthTexts();
  return (
    <TokenPasswordForm
      path="/password/reset"
      title={t.resetTitle}
      lead={t.resetLead}
      action={t.setPassword}
      done={t.resetDone}
      gone={t.resetGone}
    />
  );
}

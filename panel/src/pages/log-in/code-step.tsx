/** The second step of a log-in: a code of the second factor, a passkey, or a recovery code. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Session } from "../../../../src/contract/panel/sessions.ts";
import { postApi } from "../../api/call-api.ts";
import { CodeForm } from "../../app/code-form.tsx";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { Button } from "../../ui/button.tsx";
import { PageHead } from "../../ui/page-head.tsx";

interface CodeStepProps {
  readonly member: Session["member"];
  onSession(session: Session | null): void;
}

export function CodeStep({ member: { totp, passkeys }, onSession }: CodeStepProps): ReactNode {
  const t = useAuthTexts();
  const leave = useMutation({
    mutationFn: () => postApi("/log-out"),
    onSettled: () => onSession(null),
  });
  return (
    <>
      <PageHead
        title={totp ? t.totpTitle : t.passkeyTitle}
        lead={totp ? t.totpLead : t.passkeyLead}
      />
      <CodeForm onSession={onSession} passkeys={passkeys}>
        <Button look="ghost" onClick={() => leave.mutate()}>
          {t.otherAccount}
        </Button>
      </CodeForm>
    </>
  );
}

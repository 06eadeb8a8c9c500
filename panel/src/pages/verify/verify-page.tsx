/**
 * Where the link of the first mail leads. A press confirms: mail scanners open links too. The browser
 * that signed up goes on to its first key; any other one to the log-in.
 */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { postApi } from "../../api/call-api.ts";
import { firstRunState } from "../../app/first-run.ts";
import { OutsideDone } from "../../app/outside-done.tsx";
import { useSetSession } from "../../app/session.ts";
import { useTypedEmail } from "../../app/typed-email.ts";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useFaults } from "../../i18n/use-faults.ts";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useLinkToken } from "../../ui/use-link-token.ts";

export function Component(): ReactNode {
  const t = useAuthTexts();
  const faults = useFaults();
  const token = useLinkToken();
  const { setEmail } = useTypedEmail();
  const { money } = useFormats();
  const toasts = useToasts();
  const setSession = useSetSession();
  const navigate = useNavigate();
  const verify = useMutation({
    mutationFn: (sent: string) => postApi("/verify-email", { body: { token: sent } }),
    onSuccess({ email, trial, session }) {
      setEmail(email);
      if (trial !== null) toasts.done(t.trialGiven(money(trial)));
      if (session === null) return;
      setSession(session);
      void navigate({ to: "/keys", state: firstRunState(), replace: true });
    },
  });
  if (token === null) return <OutsideDone title={t.verifyTitle} text={t.noToken} />;
  if (verify.data !== undefined)
    return verify.data.session === null ? (
      <OutsideDone title={t.verifyTitle} text={t.verified} />
    ) : null;
  if (verify.error instanceof ApiError && verify.error.code === "gone") {
    const text =
      verify.error.reason === "sign_up_code_used_up" ? faults.sentence(verify.error) : t.verifyGone;
    return <OutsideDone title={t.verifyTitle} text={text} />;
  }
  return (
    <>
      <PageHead title={t.verifyTitle} lead={t.verifyLead} />
      <Form onSubmit={() => verify.mutate(token)} error={verify.error}>
        <Button look="primary" type="submit" className="button-wide" busy={verify.isPending}>
          {t.verify}
        </Button>
      </Form>
    </>
  );
}

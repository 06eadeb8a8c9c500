/** The last step of a log-in with a one-time password: one of the member's own. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ChangePasswordBody, Session } from "../../../../src/contract/panel/sessions.ts";
import { ApiError } from "../../api/api-error.ts";
import { postApi } from "../../api/call-api.ts";
import { PasswordFields } from "../../app/password-fields.tsx";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { PageHead } from "../../ui/page-head.tsx";

interface ChangeStepProps {
  onSession(session: Session): void;
  /** That was typed at the step before; empty: the page was opened anew since. */
  readonly oneTime: string;
}

export function ChangeStep({ onSession, oneTime }: ChangeStepProps): ReactNode {
  const t = useAuthTexts();
  const change = useMutation({
    mutationFn: (body: ChangePasswordBody) => postApi("/password", { body }),
    onSuccess: onSession,
  });
  const form = useForm({ current: oneTime, next: "" }, change.error);
  const asked =
    oneTime === "" ||
    (change.error instanceof ApiError && change.error.code === "wrong_credentials");
  return (
    <>
      <PageHead title={t.changeTitle} lead={t.changeLead} />
      <Form begins onSubmit={() => change.mutate(form.values)} error={change.error}>
        <PasswordFields form={form} current={asked ? t.currentPassword : null} />
        <Button look="primary" type="submit" className="button-wide" busy={change.isPending}>
          {t.setPassword}
        </Button>
      </Form>
    </>
  );
}

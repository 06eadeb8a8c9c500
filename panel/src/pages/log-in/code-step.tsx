/** The second step of a log-in: a code of the second factor, or a recovery code. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Session } from "../../../../src/contract/panel/sessions.ts";
import { ApiError } from "../../api/api-error.ts";
import { postApi } from "../../api/call-api.ts";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { TextField } from "../../ui/text-field.tsx";

export function CodeStep({ onSession }: { onSession(session: Session | null): void }): ReactNode {
  const t = useAuthTexts();
  const confirm = useMutation({ mutationFn: (code: string) => postApi<Session>("/log-in/totp", { code }), onSuccess: onSession });
  const leave = useMutation({ mutationFn: () => postApi("/log-out"), onSettled: () => onSession(null) });
  const form = useForm({ code: "" });
  const wrong = confirm.error instanceof ApiError && confirm.error.code === "wrong_credentials";
  return (
    <>
      <PageHead title={t.totpTitle} lead={t.totpLead} />
      <Form onSubmit={() => confirm.mutate(form.values.code.trim())} error={wrong ? null : confirm.error}>
        <TextField
          label={t.code}
          name="code"
          autoComplete="one-time-code"
          inputMode="text"
          spellCheck={false}
          required
          {...form.of("code")}
          error={wrong ? t.wrongCode : undefined}
        />
        <Button look="primary" type="submit" className="button-wide" busy={confirm.isPending}>
          {t.confirm}
        </Button>
        <Button look="ghost" onClick={() => leave.mutate()}>
          {t.otherAccount}
        </Button>
      </Form>
    </>
  );
}

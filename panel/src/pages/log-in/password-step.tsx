/** The first step of a log-in: e-mail and password. */
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LogInBody, Session } from "../../../../src/contract/panel/sessions.ts";
import { ApiError } from "../../api/api-error.ts";
import { postApi } from "../../api/call-api.ts";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { TextField } from "../../ui/text-field.tsx";

interface PasswordStepProps {
  onSession(session: Session): void;
  /** From a page inside, whose session is over or never began. */
  readonly comesBack: boolean;
}

export function PasswordStep({ onSession, comesBack }: PasswordStepProps): ReactNode {
  const t = useAuthTexts();
  const logIn = useMutation({ mutationFn: (body: LogInBody) => postApi<Session>("/log-in", body), onSuccess: onSession });
  const resend = useMutation({ mutationFn: (email: string) => postApi("/verify-email/resend", { email }) });
  const form = useForm({ email: "", password: "" }, logIn.error);
  const unverified = logIn.error instanceof ApiError && logIn.error.code === "email_unverified";
  return (
    <>
      <PageHead title={t.logInTitle} lead={comesBack ? t.logInToGoOn : undefined} />
      <Form onSubmit={() => logIn.mutate(form.values)} error={logIn.error}>
        {unverified && !resend.isSuccess ? (
          <Button busy={resend.isPending} onClick={() => resend.mutate(form.values.email)}>
            {t.resend}
          </Button>
        ) : null}
        {resend.isSuccess ? (
          <p className="banner banner-good" role="status">
            {t.resent}
          </p>
        ) : null}
        <TextField label={t.email} type="email" name="email" autoComplete="username" required {...form.of("email")} />
        <TextField label={t.password} type="password" name="password" autoComplete="current-password" required {...form.of("password")} />
        <Button look="primary" type="submit" className="button-wide" busy={logIn.isPending}>
          {t.logIn}
        </Button>
      </Form>
      <p className="outside-links">
        <Link to="/forgot">{t.forgotLink}</Link>
        <span>
          <span className="quiet">{t.noAccount}</span> <Link to="/sign-up">{t.signUpLink}</Link>
        </span>
      </p>
    </>
  );
}

/**
 * E-mail and password, or a passkey: on the page of the log-in, and over the page of a member whose session
 * ended.
 */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { LogInBody, Session } from "../../../src/contract/panel/sessions.ts";
import { ApiError } from "../api/api-error.ts";
import { postApi } from "../api/call-api.ts";
import { Button } from "../ui/button.tsx";
import { Form, useForm } from "../ui/form.tsx";
import { TextField } from "../ui/text-field.tsx";
import { EmailField } from "./email-field.tsx";
import { useTypedEmail } from "./typed-email.ts";
import { useAuthTexts } from "./use-auth-texts.ts";
import { usePasskeyLogIn } from "./use-passkey-log-in.tsx";

interface LogInFormProps {
  /** With the password that was right; empty: a passkey was. */
  onSession(session: Session, password: string): void;
  /** The e-mail of the one person who may log in here. */
  readonly only?: string;
}

export function LogInForm({ onSession, only }: LogInFormProps): ReactNode {
  const t = useAuthTexts();
  const typed = useTypedEmail();
  const logIn = useMutation({
    mutationFn: (body: LogInBody) => postApi("/log-in", { body }),
    onSuccess: (session, { password }) => onSession(session, password),
  });
  const resend = useMutation({
    mutationFn: (email: string) => postApi("/verify-email/resend", { body: { email } }),
  });
  const passkey = usePasskeyLogIn((session) => onSession(session, ""), { offers: true });
  const form = useForm({ email: only ?? typed.email, password: "" }, logIn.error);
  const unverified = logIn.error instanceof ApiError && logIn.error.code === "email_unverified";
  return (
    <Form begins onSubmit={() => logIn.mutate(form.values)} error={logIn.error ?? passkey.error}>
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
      <EmailField {...form.of("email")} passkeys readOnly={only !== undefined} />
      <TextField
        label={t.password}
        type="password"
        name="password"
        autoComplete="current-password"
        required
        {...form.of("password")}
      />
      <Button look="primary" type="submit" className="button-wide" busy={logIn.isPending}>
        {t.logIn}
      </Button>
      {passkey.button}
    </Form>
  );
}

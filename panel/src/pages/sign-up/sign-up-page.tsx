/** A new account with its first member; the mail says whether there was one already. */
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SignUpBody } from "../../../../src/contract/panel/sessions.ts";
import { postApi } from "../../api/call-api.ts";
import { EmailField } from "../../app/email-field.tsx";
import { OutsideDone } from "../../app/outside-done.tsx";
import { SendAgain } from "../../app/send-again.tsx";
import { useTypedEmail } from "../../app/typed-email.ts";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { useLocale } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { NewPasswordField } from "../../ui/new-password-field.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { TextField } from "../../ui/text-field.tsx";

export function Component(): ReactNode {
  const t = useAuthTexts();
  const { language } = useLocale();
  const signUp = useMutation({ mutationFn: (body: SignUpBody) => postApi("/sign-up", { body }) });
  const form = useForm(
    { email: useTypedEmail().email, password: "", accountName: "" },
    signUp.error,
  );
  if (signUp.isSuccess) {
    return (
      <OutsideDone
        title={t.checkMailTitle}
        text={t.checkMail(form.values.email)}
        hint={t.checkMailHint}
      >
        <SendAgain email={form.values.email} path="/verify-email/resend" done={t.resent} />
      </OutsideDone>
    );
  }
  return (
    <>
      <PageHead title={t.signUpTitle} lead={t.signUpLead} />
      <Form onSubmit={() => signUp.mutate({ ...form.values, language })} error={signUp.error}>
        <TextField
          label={t.accountName}
          hint={t.accountNameHint}
          name="accountName"
          autoComplete="organization"
          maxLength={200}
          required
          {...form.of("accountName")}
        />
        <EmailField {...form.of("email")} />
        <NewPasswordField
          label={t.password}
          hint={t.passwordHint}
          name="password"
          {...form.of("password")}
        />
        <Button look="primary" type="submit" className="button-wide" busy={signUp.isPending}>
          {t.signUp}
        </Button>
      </Form>
      <p className="outside-links">
        <span>
          <span className="quiet">{t.haveAccount}</span> <Link to="/log-in">{t.logIn}</Link>
        </span>
      </p>
    </>
  );
}

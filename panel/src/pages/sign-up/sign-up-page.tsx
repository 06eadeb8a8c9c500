/** A new account with its first member; the mail says whether there was one already. */
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SignUpBody } from "../../../../src/contract/panel/sessions.ts";
import { postApi } from "../../api/call-api.ts";
import { useInstallation } from "../../api/installation.ts";
import { useConsents } from "../../app/consent-boxes.tsx";
import { EmailField } from "../../app/email-field.tsx";
import { OutsideDone } from "../../app/outside-done.tsx";
import { SendAgain } from "../../app/send-again.tsx";
import { useTypedEmail } from "../../app/typed-email.ts";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { useFormats, useLocale } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { NewPasswordField } from "../../ui/new-password-field.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { TextField } from "../../ui/text-field.tsx";

export function Component(): ReactNode {
  const t = useAuthTexts();
  const { mode } = useInstallation().signUp;
  if (mode === "closed") return <OutsideDone title={t.signUpTitle} text={t.signUpClosed} />;
  return <SignUpForm />;
}

function SignUpForm(): ReactNode {
  const t = useAuthTexts();
  const { language } = useLocale();
  const { money } = useFormats();
  const { mode, domains, captcha, trial } = useInstallation().signUp;
  const consents = useConsents();
  const signUp = useMutation({
    mutationFn: async (body: SignUpBody) =>
      postApi("/sign-up", { body: captcha ? { ...body, captcha: await solve() } : body }),
  });
  const form = useForm(
    { email: useTypedEmail().email, password: "", accountName: "", code: codeOfLink() },
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
      <PageHead
        title={t.signUpTitle}
        lead={trial === "0" ? t.signUpLead : `${t.signUpLead} ${t.signUpTrial(money(trial))}`}
      />
      <Form
        begins
        onSubmit={() => {
          const { code, ...values } = form.values;
          signUp.mutate({
            ...values,
            language,
            consents: consents.agreed,
            ...(mode === "code" ? { code } : {}),
          });
        }}
        error={signUp.error}
      >
        {mode === "code" ? (
          <TextField
            label={t.signUpCode}
            hint={t.signUpCodeHint}
            name="code"
            autoComplete="off"
            spellCheck={false}
            maxLength={60}
            required
            {...form.of("code")}
          />
        ) : null}
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
        {domains.length === 0 ? null : (
          <p className="field-hint">{t.onlyDomains(domains.join(", "))}</p>
        )}
        <NewPasswordField
          label={t.password}
          hint={t.passwordHint}
          name="password"
          {...form.of("password")}
        />
        {consents.boxes}
        <Button
          look="primary"
          type="submit"
          className="button-wide"
          busy={signUp.isPending}
          disabled={!consents.enough}
        >
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

/** Fetched where it is needed: most installations do not ask for it. */
async function solve(): Promise<NonNullable<SignUpBody["captcha"]>> {
  const { solveCaptcha } = await import("./solve-captcha.ts");
  return solveCaptcha();
}

/** An operator hands out `/panel/sign-up#code=…`. */
function codeOfLink(): string {
  return new URLSearchParams(location.hash.slice(1)).get("code") ?? "";
}

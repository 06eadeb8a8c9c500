/** Asks for a link to set a new password; it never tells whether there is such a member. */
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { postApi } from "../../api/call-api.ts";
import { EmailField } from "../../app/email-field.tsx";
import { OutsideDone } from "../../app/outside-done.tsx";
import { SendAgain } from "../../app/send-again.tsx";
import { useTypedEmail } from "../../app/typed-email.ts";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { PageHead } from "../../ui/page-head.tsx";

export function Component(): ReactNode {
  const t = useAuthTexts();
  const send = useMutation({
    mutationFn: (email: string) => postApi("/password/forgot", { body: { email } }),
  });
  const form = useForm({ email: useTypedEmail().email }, send.error);
  if (send.isSuccess) {
    return (
      <OutsideDone title={t.checkMailTitle} text={t.linkSent} hint={t.checkMailHint}>
        <SendAgain email={form.values.email} path="/password/forgot" done={t.linkSentAgain} />
      </OutsideDone>
    );
  }
  return (
    <>
      <PageHead title={t.forgotTitle} lead={t.forgotLead} />
      <Form begins onSubmit={() => send.mutate(form.values.email)} error={send.error}>
        <EmailField {...form.of("email")} />
        <Button look="primary" type="submit" className="button-wide" busy={send.isPending}>
          {t.sendLink}
        </Button>
      </Form>
      <p className="outside-links">
        <Link to="/log-in">{t.toLogIn}</Link>
      </p>
    </>
  );
}

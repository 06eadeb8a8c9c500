/** Asks for a link to set a new password; it tells nobody whether there is such a member. */
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { postApi } from "../../api/call-api.ts";
import { OutsideDone } from "../../app/outside-done.tsx";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { TextField } from "../../ui/text-field.tsx";

export function Component(): ReactNode {
  const t = useAuthTexts();
  const send = useMutation({ mutationFn: (email: string) => postApi("/password/forgot", { email }) });
  const form = useForm({ email: "" }, send.error);
  if (send.isSuccess) return <OutsideDone title={t.checkMailTitle} text={t.linkSent} hint={t.checkMailHint} />;
  return (
    <>
      <PageHead title={t.forgotTitle} lead={t.forgotLead} />
      <Form onSubmit={() => send.mutate(form.values.email)} error={send.error}>
        <TextField label={t.email} type="email" name="email" autoComplete="username" required {...form.of("email")} />
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

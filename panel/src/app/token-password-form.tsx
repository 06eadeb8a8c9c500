/** A password for the reader of a mailed link: a new one, or the first one of an invited member. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AcceptBody } from "../../../src/contract/panel/sessions.ts";
import { ApiError } from "../api/api-error.ts";
import { postApi } from "../api/call-api.ts";
import { Button } from "../ui/button.tsx";
import { Form, useForm } from "../ui/form.tsx";
import { NewPasswordField } from "../ui/new-password-field.tsx";
import { PageHead } from "../ui/page-head.tsx";
import type { Consents } from "./consent-boxes.tsx";
import { OutsideDone } from "./outside-done.tsx";
import { useTypedEmail } from "./typed-email.ts";
import { useAuthTexts } from "./use-auth-texts.ts";

interface TokenPasswordFormProps {
  /** Null: the link is not whole. */
  readonly token: string | null;
  readonly path: "/password/reset" | "/members/accept";
  readonly title: string;
  readonly lead: string;
  readonly action: string;
  readonly done: string;
  /** What to do when the link is used up or too old. */
  readonly gone: string;
  /** Above the button: what is agreed to by pressing it. */
  readonly consents?: Consents;
  /** What the password is chosen for, above the form. */
  readonly children?: ReactNode;
}

export function TokenPasswordForm({
  token,
  path,
  title,
  lead,
  action,
  done,
  gone,
  consents,
  children,
}: TokenPasswordFormProps): ReactNode {
  const t = useAuthTexts();
  const { setEmail } = useTypedEmail();
  const send = useMutation({
    // An accepted invitation says whose it was; a new password does not.
    mutationFn: (body: AcceptBody) => postApi(path, { body }),
    onSuccess: (answer) => ("email" in answer ? setEmail(answer.email) : undefined),
  });
  const form = useForm({ password: "" }, send.error);
  if (token === null) return <OutsideDone title={title} text={t.noToken} />;
  if (send.isSuccess) return <OutsideDone title={title} text={done} />;
  if (send.error instanceof ApiError && send.error.code === "gone")
    return <OutsideDone title={title} text={gone} />;
  return (
    <>
      <PageHead title={title} lead={lead} />
      {children}
      <Form
        begins
        onSubmit={() =>
          send.mutate({
            token,
            ...form.values,
            ...(consents === undefined ? {} : { consents: consents.agreed }),
          })
        }
        error={send.error}
      >
        <NewPasswordField
          label={t.newPassword}
          hint={t.passwordHint}
          name="password"
          {...form.of("password")}
        />
        {consents?.boxes}
        <Button
          look="primary"
          type="submit"
          className="button-wide"
          busy={send.isPending}
          disabled={consents?.enough === false}
        >
          {action}
        </Button>
      </Form>
    </>
  );
}

/** Where the link of the first mail leads. A press confirms: mail scanners open links too. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { postApi } from "../../api/call-api.ts";
import { OutsideDone } from "../../app/outside-done.tsx";
import { useTypedEmail } from "../../app/typed-email.ts";
import { useAuthTexts } from "../../app/use-auth-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form } from "../../ui/form.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { useLinkToken } from "../../ui/use-link-token.ts";

export function Component(): ReactNode {
  const t = useAuthTexts();
  const token = useLinkToken();
  const { setEmail } = useTypedEmail();
  const verify = useMutation({
    mutationFn: (sent: string) => postApi("/verify-email", { body: { token: sent } }),
    onSuccess: ({ email }) => setEmail(email),
  });
  if (token === null) return <OutsideDone title={t.verifyTitle} text={t.noToken} />;
  if (verify.isSuccess) return <OutsideDone title={t.verifyTitle} text={t.verified} />;
  if (verify.error instanceof ApiError && verify.error.code === "gone")
    return <OutsideDone title={t.verifyTitle} text={t.verifyGone} />;
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

/** On a page that waits for a mail's link to be opened: asks for another one. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { postApi } from "../api/call-api.ts";
import { useFaults } from "../i18n/use-faults.ts";
import { Button } from "../ui/button.tsx";
import { useAuthTexts } from "./use-auth-texts.ts";

interface SendAgainProps {
  readonly email: string;
  readonly path: "/verify-email/resend" | "/password/forgot";
  /** What is said when it was asked for. */
  readonly done: string;
}

export function SendAgain({ email, path, done }: SendAgainProps): ReactNode {
  const t = useAuthTexts();
  const faults = useFaults();
  const resend = useMutation({ mutationFn: () => postApi(path, { body: { email } }) });
  if (resend.isSuccess) {
    return (
      <p className="banner banner-good" role="status">
        {done}
      </p>
    );
  }
  return (
    <>
      {resend.error === null ? null : (
        <p className="banner banner-danger" role="alert">
          {faults.sentence(resend.error)}
        </p>
      )}
      <Button className="button-wide" busy={resend.isPending} onClick={() => resend.mutate()}>
        {t.resend}
      </Button>
    </>
  );
}

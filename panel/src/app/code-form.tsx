/** The code of the second factor, or a recovery code, that a log-in is finished with; or a passkey. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Session } from "../../../src/contract/panel/sessions.ts";
import { ApiError } from "../api/api-error.ts";
import { postApi } from "../api/call-api.ts";
import { Button } from "../ui/button.tsx";
import { Form, useForm } from "../ui/form.tsx";
import { TextField } from "../ui/text-field.tsx";
import { useAuthTexts } from "./use-auth-texts.ts";
import { usePasskeyLogIn } from "./use-passkey-log-in.tsx";

interface CodeFormProps {
  onSession(session: Session): void;
  /** How many the member has that could be used in its place. */
  readonly passkeys: number;
  /** What else can be done here. */
  readonly children?: ReactNode;
}

export function CodeForm({ onSession, passkeys, children }: CodeFormProps): ReactNode {
  const t = useAuthTexts();
  const confirm = useMutation({
    mutationFn: (code: string) => postApi("/log-in/totp", { body: { code } }),
    onSuccess: onSession,
  });
  const passkey = usePasskeyLogIn(onSession, { offers: false });
  const form = useForm({ code: "" });
  const wrong = confirm.error instanceof ApiError && confirm.error.code === "wrong_credentials";
  return (
    <Form
      begins
      onSubmit={() => confirm.mutate(form.values.code.trim())}
      error={wrong ? null : (confirm.error ?? passkey.error)}
    >
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
      {passkeys === 0 ? null : passkey.button}
      {children}
    </Form>
  );
}

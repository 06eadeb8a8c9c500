/** A password and the one that takes its place, wherever a member changes it. */
import type { ReactNode } from "react";
import type { ChangePasswordBody } from "../../../src/contract/panel/sessions.ts";
import type { FormState } from "../ui/form.tsx";
import { NewPasswordField } from "../ui/new-password-field.tsx";
import { TextField } from "../ui/text-field.tsx";
import { useAuthTexts } from "./use-auth-texts.ts";

interface PasswordFieldsProps {
  readonly form: FormState<ChangePasswordBody>;
  /** What the password until now is called; null: it is known, and not asked for. */
  readonly current: string | null;
}

export function PasswordFields({ form, current }: PasswordFieldsProps): ReactNode {
  const t = useAuthTexts();
  return (
    <>
      {current === null ? null : (
        <TextField
          label={current}
          type="password"
          name="current"
          autoComplete="current-password"
          required
          {...form.of("current")}
        />
      )}
      <NewPasswordField
        label={t.newPassword}
        hint={t.passwordHint}
        name="next"
        {...form.of("next")}
      />
    </>
  );
}

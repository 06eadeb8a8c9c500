/**
 * The e-mail of a visitor who logs in, signs up or forgot the password: the same on all of these
 * pages.
 */
import type { ReactNode } from "react";
import { TextField } from "../ui/text-field.tsx";
import type { TextFieldProps } from "../ui/text-field.tsx";
import { useTypedEmail } from "./typed-email.ts";
import { useAuthTexts } from "./use-auth-texts.ts";

/** Of a form that begins with `useTypedEmail().email`. */
export function EmailField({
  onChange,
  passkeys = false,
  ...rest
}: Pick<TextFieldProps, "value" | "error" | "readOnly" | "onChange"> & {
  /** Whether the browser may offer passkeys in it. */
  readonly passkeys?: boolean;
}): ReactNode {
  const t = useAuthTexts();
  const { setEmail } = useTypedEmail();
  return (
    <TextField
      {...rest}
      label={t.email}
      type="email"
      name="email"
      autoComplete={passkeys ? "username webauthn" : "username"}
      required
      onChange={(email) => {
        setEmail(email);
        onChange(email);
      }}
    />
  );
}

/** Where a password is chosen; its bounds are those that the API holds it to. */
import type { ReactNode } from "react";
import { TextField, type TextFieldProps } from "./text-field.tsx";

type NewPasswordFieldProps = Pick<
  TextFieldProps,
  "label" | "hint" | "error" | "value" | "onChange"
> & { readonly name: string };

export function NewPasswordField(props: NewPasswordFieldProps): ReactNode {
  return (
    <TextField {...props} type="password" autoComplete="new-password" minLength={10} required />
  );
}

/** An amount of roubles, as the decimal string that the API takes; a comma is taken for a point. */
import type { ReactNode } from "react";
import { TextField } from "./text-field.tsx";
import type { TextFieldProps } from "./text-field.tsx";

interface MoneyFieldProps extends Omit<TextFieldProps, "type" | "inputMode" | "unit"> {
  /** A correction may be taken away from somebody. */
  readonly negative?: boolean;
}

export function MoneyField({ value, onChange, negative = false, ...rest }: MoneyFieldProps): ReactNode {
  const shape = negative ? /^-?\d{0,12}(\.\d{0,9})?$/ : /^\d{0,12}(\.\d{0,9})?$/;
  return (
    <TextField
      {...rest}
      unit="₽"
      inputMode="decimal"
      value={value}
      onChange={(text) => {
        const amount = text
          .replaceAll(/[\s\u00A0]/g, "")
          .replace(",", ".")
          .replace("−", "-");
        if (shape.test(amount)) onChange(amount);
      }}
    />
  );
}

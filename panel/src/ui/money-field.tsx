/**
 * An amount of roubles, in any usual spelling; its value is the decimal string that the API takes.
 * What cannot be read stays in the field with a sentence about it, and the form is not sent.
 */
import type { ReactNode } from "react";
import { formatInput } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.tsx";
import { readMoney } from "./read-money.ts";
import { TextField } from "./text-field.tsx";
import type { TextFieldProps } from "./text-field.tsx";
import { typedOf, unreadText } from "./unread-text.ts";
import { useReading } from "./use-reading.ts";

interface MoneyFieldProps extends Omit<TextFieldProps, "type" | "inputMode" | "unit" | "mistake"> {
  /** A correction may take money away. */
  readonly negative?: boolean;
}

export function MoneyField({
  value,
  onChange,
  error,
  negative = false,
  ...rest
}: MoneyFieldProps): ReactNode {
  const { language } = useLocale();
  const marks = useReading({
    value,
    read: (text) => readMoney(text, negative),
    valueOf: (reading, typed) =>
      reading.kind === "empty"
        ? ""
        : reading.kind === "decimal"
          ? reading.decimal
          : unreadText(typed),
    textOf: (amount) => typedOf(amount) ?? formatInput(amount, language),
    onChange,
  });
  return (
    <TextField {...rest} {...marks} unit="₽" inputMode="decimal" error={marks.error ?? error} />
  );
}

/**
 * A whole number or a decimal; empty is null. What cannot be read stays in the field with a
 * sentence about it: its value is NaN, and a `Form` is not sent.
 */
import type { ReactNode } from "react";
import { formatInput } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.tsx";
import { readDecimal } from "./read-decimal.ts";
import { TextField } from "./text-field.tsx";
import type { TextFieldProps } from "./text-field.tsx";
import { useReading } from "./use-reading.ts";

interface NumberFieldProps extends Omit<
  TextFieldProps,
  "value" | "onChange" | "type" | "inputMode" | "mistake"
> {
  readonly value: number | null;
  onChange(value: number | null): void;
  /** Lets decimals in. */
  readonly decimal?: boolean;
}

/** Below it every whole number is exact. */
const DIGITS = 15;

export function NumberField({
  value,
  onChange,
  error,
  decimal = false,
  ...rest
}: NumberFieldProps): ReactNode {
  const { language } = useLocale();
  const shape = {
    negative: true,
    wholeDigits: DIGITS,
    fractionDigits: decimal ? DIGITS : 0,
    thousands: !decimal,
  };
  const marks = useReading({
    value,
    read: (text) => readDecimal(text, shape),
    valueOf: (reading) =>
      reading.kind === "empty"
        ? null
        : reading.kind === "decimal"
          ? Number(reading.decimal)
          : Number.NaN,
    textOf: (number) => textOf(number, (figures) => formatInput(figures, language)),
    onChange,
  });
  return (
    <TextField
      {...rest}
      {...marks}
      inputMode={decimal ? "decimal" : "numeric"}
      error={marks.error ?? error}
    />
  );
}

function textOf(number: number | null, write: (figures: string) => string): string {
  if (number === null) return "";
  const figures = String(number);
  return /^-?\d+(\.\d+)?$/.test(figures) ? write(figures) : "?";
}

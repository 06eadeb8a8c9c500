/** A whole number or a decimal; empty is null. What is typed is kept as text until it is a number. */
import { useState } from "react";
import type { ReactNode } from "react";
import { TextField } from "./text-field.tsx";
import type { TextFieldProps } from "./text-field.tsx";

interface NumberFieldProps extends Omit<TextFieldProps, "value" | "onChange" | "type" | "inputMode"> {
  readonly value: number | null;
  onChange(value: number | null): void;
  /** Lets decimals in. */
  readonly decimal?: boolean;
}

export function NumberField({ value, onChange, decimal = false, ...rest }: NumberFieldProps): ReactNode {
  const [typed, setTyped] = useState<string | null>(null);
  const shape = decimal ? /^-?\d*[.,]?\d*$/ : /^-?\d*$/;
  return (
    <TextField
      {...rest}
      inputMode={decimal ? "decimal" : "numeric"}
      value={typed !== null && read(typed) === value ? typed : value === null ? "" : String(value)}
      onChange={(text) => {
        if (!shape.test(text)) return;
        setTyped(text);
        onChange(read(text));
      }}
    />
  );
}

function read(text: string): number | null {
  const number = Number(text.replace(",", "."));
  return text === "" || Number.isNaN(number) ? null : number;
}

/**
 * Keeps what is typed into a field that reads it, and says what cannot be read as soon as it was
 * pasted or the field was left.
 */
import { useState } from "react";
import { useLocale } from "../i18n/locale.tsx";
import { useWords } from "../i18n/use-words.ts";
import { formatInput } from "../i18n/format-number.ts";
import type { MoneyReading } from "./read-money.ts";

interface Reader<Value> {
  readonly value: Value;
  read(text: string): MoneyReading;
  /**
   * What the form holds of what was typed: of what could not be read, nothing that could be taken
   * for a figure.
   */
  valueOf(reading: MoneyReading, typed: string): Value;
  /**
   * As it stands in the field when it comes from elsewhere: a decimal as `formatInput` writes it.
   */
  textOf(value: Value): string;
  onChange(value: Value): void;
}

export interface ReadingMarks {
  readonly value: string;
  /** Why the form must not be sent; undefined: what is shown was read. */
  readonly mistake: string | undefined;
  /** The same, once it is time to say it: a member is not corrected in the middle of a number. */
  readonly error: string | undefined;
  onChange(text: string): void;
  onBlur(): void;
  onPaste(): void;
  onInvalid(): void;
}

export function useReading<Value>({
  value,
  read,
  valueOf,
  textOf,
  onChange,
}: Reader<Value>): ReadingMarks {
  const [typed, setTyped] = useState("");
  const [settled, setSettled] = useState(false);
  const { language } = useLocale();
  const { unread } = useWords();
  const own = typed.trim() !== "" && Object.is(valueOf(read(typed), typed), value);
  const shown = own ? typed : textOf(value);
  const reading = read(shown);
  const mistake =
    reading.kind === "unread"
      ? unread[reading.why]
      : reading.kind === "ambiguous"
        ? unread.ambiguous(shown.trim(), reading.whole, formatInput(reading.fraction, language))
        : undefined;
  return {
    value: shown,
    mistake,
    error: settled ? mistake : undefined,
    onChange(text) {
      const next = read(text);
      setTyped(text);
      // From here on it is typed again: the next mistake waits until the field is left.
      if (next.kind === "decimal" || next.kind === "empty") setSettled(false);
      onChange(valueOf(next, text));
    },
    onBlur() {
      // What was read is written as it was understood.
      if (mistake === undefined) setTyped("");
      setSettled(true);
    },
    onPaste: () => setSettled(true),
    onInvalid: () => setSettled(true),
  };
}

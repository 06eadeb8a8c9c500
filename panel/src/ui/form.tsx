/**
 * A form: sends by Enter and by its button, and shows what the API refused above it, and at its
 * fields.
 */
import { useEffect, useRef, useState } from "react";
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { useFaults } from "../i18n/use-faults.ts";
import { nameMistake } from "./name-mistake.ts";

interface FormProps {
  onSubmit(): void;
  /** Of the last attempt; null or undefined: none, or it went well. */
  readonly error?: unknown;
  /**
   * Filling it in is all that its page is for: its first empty field has the cursor when it comes.
   */
  readonly begins?: boolean;
  readonly children: ReactNode;
  /** The names of its fields: what is wrong with them is told there, and above only in general. */
  readonly className?: string;
}

export function Form({
  onSubmit,
  error,
  begins = false,
  children,
  className = "form",
}: FormProps): ReactNode {
  const faults = useFaults();
  const drawn = useRef<HTMLFormElement>(null);
  const [wrong, setWrong] = useState("");
  const refused = error instanceof ApiError && error.code === "invalid_request";
  useEffect(() => {
    const marked =
      drawn.current === null || !refused
        ? []
        : controlsOf(drawn.current).filter((control) => control.ariaInvalid === "true");
    setWrong(marked.map(labelOf).join(", "));
    // It may be further down than the dialog shows.
    marked[0]?.focus();
  }, [error, refused]);
  useEffect(() => {
    if (begins && drawn.current !== null) controlsOf(drawn.current).find(isToFill)?.focus();
  }, [begins]);
  return (
    <form
      ref={drawn}
      className={className}
      onClickCapture={({ currentTarget }) => {
        // Checked anew by every press, and by Enter, which presses the button.
        for (const control of controlsOf(currentTarget))
          control.setCustomValidity(control.dataset["mistake"] ?? "");
      }}
      onInputCapture={({ target }) => {
        if (isControl(target)) target.setCustomValidity("");
      }}
      onInvalidCapture={({ target }) => {
        // The browser's own words are in its own language, not in the page's.
        if (!isControl(target)) return;
        const say = faults.texts.byMistake[nameMistake(target.validity)];
        target.setCustomValidity(target.dataset["mistake"] ?? say({ limit: leastLength(target) }));
      }}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        // A script's submit passes by the press that checks.
        if (
          controlsOf(event.currentTarget).some(
            (control) => control.dataset["mistake"] !== undefined,
          )
        )
          return;
        onSubmit();
      }}
    >
      {error === null || error === undefined ? null : (
        <p className="banner banner-danger" role="alert">
          {refused && wrong !== "" ? faults.texts.checkFields(wrong) : faults.sentence(error)}
        </p>
      )}
      {children}
    </form>
  );
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function isControl(element: unknown): element is Control {
  return (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  );
}

function isToFill(control: Control): boolean {
  return control.value === "" && !(control instanceof HTMLInputElement && control.readOnly);
}

/** Of a text; a browser checks the most itself, as it is typed. */
function leastLength(control: Control): number | undefined {
  return "minLength" in control && control.minLength > 0 ? control.minLength : undefined;
}

/** Without what stands beside it, such as "optional". */
function labelOf(control: Control): string {
  return control.labels?.[0]?.firstChild?.textContent?.trim() ?? "";
}

function controlsOf(form: HTMLFormElement): readonly Control[] {
  return [...form.elements].filter(isControl);
}

export interface FormState<Values> {
  readonly values: Values;
  set<Name extends keyof Values>(name: Name, value: Values[Name]): void;
  reset(values?: Values): void;
  /** For any field: `<Select {...form.of("role")} />`. */
  of<Name extends keyof Values & string>(
    name: Name,
  ): {
    readonly value: Values[Name];
    readonly error: string | undefined;
    onChange(value: Values[Name]): void;
  };
}

/**
 * @param error of the request that sends the form: its mistakes are told at the fields of the same
 * names.
 */
export function useForm<Values>(initial: Values, error?: unknown): FormState<Values> {
  const [values, setValues] = useState(initial);
  const [changed, setChanged] = useState<{
    readonly error: unknown;
    readonly names: ReadonlySet<string>;
  }>({ error, names: new Set() });
  const faults = useFaults();
  // What was changed since is not called wrong any more.
  const since = changed.error === error ? changed.names : new Set<string>();
  const set: FormState<Values>["set"] = (name, value) => {
    setValues((before) => ({ ...before, [name]: value }));
    if (error instanceof ApiError) setChanged({ error, names: new Set([...since, String(name)]) });
  };
  return {
    values,
    set,
    reset: (next = initial) => setValues(next),
    of: (name) => ({
      value: values[name],
      error: since.has(name) ? undefined : faults.ofField(error, name),
      onChange: (value) => set(name, value),
    }),
  };
}

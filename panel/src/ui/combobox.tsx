/**
 * One of many things, found by its name: what is typed narrows the list, and what was picked stands
 * in the field by its name.
 */
import { Combobox as Base } from "@base-ui/react/combobox";
import { useState } from "react";
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import "./combobox.css";
import { Field } from "./field.tsx";
import { Icon } from "./icon.tsx";

export interface Choice {
  /** What is kept: an id, or the name itself. */
  readonly value: string;
  readonly label: string;
  /** Tells it from others of the same name. */
  readonly note?: string | undefined;
  /** Found by this too, which is not shown. */
  readonly also?: string | undefined;
}

interface ComboboxProps {
  readonly label: string;
  /** Empty: nothing is picked. */
  readonly value: string;
  onChange(value: string): void;
  readonly choices: readonly Choice[];
  /** Of a value that no choice has: by what name it stands in the field. */
  readonly named?: string | undefined;
  /**
   * What is being looked for; null: the list is closed. Where it is given, the choices are those
   * that fit.
   */
  onSearch(text: string | null): void;
  /** Whether `choices` fit what is typed already; else they are narrowed here. */
  readonly searched?: boolean;
  /** More choices are on their way. */
  readonly busy: boolean;
  /** Said of a list that is empty. */
  readonly empty?: string | undefined;
  /** Whether what is typed may be taken although no choice has it. */
  takesTyped(text: string): boolean;
  /** One is always picked: there is nothing that clears it. */
  readonly required?: boolean;
  /** The label is for screen readers only. */
  readonly quietLabel?: boolean;
}

export function Combobox({
  label,
  value,
  onChange,
  choices,
  named,
  onSearch,
  searched = false,
  busy,
  empty,
  takesTyped,
  required = false,
  quietLabel = false,
}: ComboboxProps): ReactNode {
  const words = useWords();
  /** Null: nothing is being typed, and the field says what is picked. */
  const [typed, setTyped] = useState<string | null>(null);
  const [last, setLast] = useState<Choice | null>(null);
  const known =
    choices.find((choice) => choice.value === value) ?? (last?.value === value ? last : null);
  const picked = value === "" ? null : (known ?? { value, label: named ?? value });
  const shown = choicesFor(typed?.trim() ?? "", choices, { searched, takesTyped });
  const type = (text: string | null): void => {
    setTyped(text);
    onSearch(text === null ? null : text.trim());
  };
  return (
    <Base.Root<Choice>
      items={shown}
      filter={null}
      autoHighlight
      value={picked}
      isItemEqualToValue={(a, b) => a.value === b.value}
      itemToStringLabel={(choice) => choice.label}
      inputValue={typed ?? picked?.label ?? ""}
      onInputValueChange={(text, { reason }) => {
        if (reason === "input-change") type(text);
      }}
      onValueChange={(choice) => {
        if (choice === null && required) return;
        setLast(choice);
        onChange(choice?.value ?? "");
      }}
      onOpenChange={(open, { reason }) => {
        if (!open) type(null);
        // By typing: it is being looked for already.
        else if (reason !== "input-change") onSearch("");
      }}
    >
      <Field label={label} quietLabel={quietLabel}>
        {(marks) => (
          <Base.InputGroup className="control-box">
            <Base.Input
              {...marks}
              className="control"
              spellCheck={false}
              autoComplete="off"
              placeholder={required ? words.search : words.all}
            />
            {picked === null || required ? (
              <Base.Trigger
                className="control-button"
                aria-label={words.openList(label)}
                tabIndex={-1}
              >
                <Icon name="down" size={14} />
              </Base.Trigger>
            ) : (
              <Base.Clear className="control-button" aria-label={words.clear(label)}>
                <Icon name="close" size={14} />
              </Base.Clear>
            )}
          </Base.InputGroup>
        )}
      </Field>
      <Base.Portal>
        <Base.Positioner className="popup-place" align="start" sideOffset={4}>
          <Base.Popup className="combobox-popup" aria-busy={busy || undefined}>
            <Base.Status className="combobox-status">
              {busy ? words.loading : shown.length === 0 ? (empty ?? words.nothingFound) : null}
            </Base.Status>
            <Base.List>
              {(choice: Choice) => (
                <Base.Item key={choice.value} value={choice} className="menu-item combobox-item">
                  <span>{choice.label}</span>
                  {choice.note === undefined ? null : (
                    <span className="quiet small">{choice.note}</span>
                  )}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function choicesFor(
  text: string,
  choices: readonly Choice[],
  { searched, takesTyped }: Pick<ComboboxProps, "takesTyped"> & { readonly searched: boolean },
): readonly Choice[] {
  if (text === "") return choices;
  const sought = text.toLowerCase();
  const fitting = searched
    ? choices
    : choices.filter(({ label, note, also }) =>
        `${label} ${note ?? ""} ${also ?? ""}`.toLowerCase().includes(sought),
      );
  const there = choices.some(({ value, label }) => value === text || label === text);
  return there || !takesTyped(text) ? fitting : [...fitting, { value: text, label: text }];
}

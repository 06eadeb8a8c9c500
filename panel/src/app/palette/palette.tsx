/**
 * The command palette: what is typed narrows a list of pages and things, and Enter goes to the one
 * that fits best. Everything in it works by keyboard alone.
 */
import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { useRef, useState } from "react";
import type { ReactNode } from "react";
import { useWords } from "../../i18n/use-words.ts";
import { Icon } from "../../ui/icon.tsx";
import { useWorkspace } from "../use-workspace.ts";
import "./palette.css";
import { rankEntries } from "./rank-entries.ts";
import type { EntryGroup } from "./rank-entries.ts";
import { usePaletteEntries, usePaletteTexts } from "./use-palette-entries.ts";
import type { PaletteEntry } from "./use-palette-entries.ts";

export function Palette({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = usePaletteTexts();
  const words = useWords();
  const workspace = useWorkspace();
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const { groups, busy } = usePaletteEntries(typed);
  const shown = rankEntries(typed, groups);
  const go = (entry: PaletteEntry): void => {
    onClose();
    entry.go();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="palette" aria-label={t.title} initialFocus={input}>
          <Autocomplete.Root
            open
            inline
            mode="none"
            items={shown}
            autoHighlight="always"
            keepHighlight
            itemToStringValue={(entry: PaletteEntry) => entry.label}
            value={typed}
            onValueChange={(text, { reason }) => {
              // What is picked is gone to, and not written into the field.
              if (reason === "input-change") setTyped(text);
            }}
          >
            <div className="palette-field">
              <Icon name="search" />
              <Autocomplete.Input
                ref={input}
                className="palette-input"
                aria-label={t.title}
                placeholder={t.hints[workspace]}
                spellCheck={false}
                autoComplete="off"
              />
              <Dialog.Close className="button button-ghost button-small" aria-label={words.close}>
                <Icon name="close" size={16} />
              </Dialog.Close>
            </div>
            <div className="palette-finds" aria-busy={busy || undefined}>
              <Autocomplete.Status className="palette-status">
                {shown.length > 0 ? null : busy ? words.loading : t.nothing}
              </Autocomplete.Status>
              <Autocomplete.List className="palette-list" aria-label={t.found}>
                {(group: EntryGroup<PaletteEntry>) => (
                  <Autocomplete.Group key={keyOf(group)} items={group.items}>
                    <Autocomplete.GroupLabel className="palette-group">
                      {group.name}
                    </Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(entry: PaletteEntry) => (
                        <Autocomplete.Item
                          key={entry.id}
                          value={entry}
                          className="menu-item palette-item"
                          onClick={() => go(entry)}
                        >
                          <Icon name={entry.icon} size={16} />
                          <span className="palette-name">{entry.label}</span>
                          {entry.note === undefined || entry.note === entry.label ? null : (
                            <span className="palette-note">{entry.note}</span>
                          )}
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </div>
            <Keys />
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** An account may be called as a kind of things is. */
function keyOf({ name, items }: EntryGroup<PaletteEntry>): string {
  return `${name} ${items[0]?.id ?? ""}`;
}

/** Which keys do what, for who looks: screen readers say how a list is walked through. */
function Keys(): ReactNode {
  const t = usePaletteTexts();
  return (
    <div className="palette-keys" aria-hidden="true">
      <span>
        <kbd>↑</kbd> <kbd>↓</kbd> {t.choose}
      </span>
      <span>
        <kbd>Enter</kbd> {t.open}
      </span>
      <span>
        <kbd>Esc</kbd> {t.close}
      </span>
    </div>
  );
}

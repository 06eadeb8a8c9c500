/**
 * Parameters of a form that take much room and may be left out, folded: open as soon as one of them
 * is given or wrong.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import type { PanelTaskField } from "../../../../../src/contract/panel/panel-model.ts";
import { useLocale } from "../../../i18n/locale.tsx";
import { usePlaygroundTexts } from "../use-playground-texts.ts";

/** Files and lists: with each a box to drop something into, or a row for each entry. */
const LARGE: ReadonlySet<PanelTaskField["kind"]> = new Set(["url", "urls", "texts", "objects"]);

export function isFolded(field: PanelTaskField): boolean {
  return !field.required && !field.advanced && LARGE.has(field.kind);
}

interface OptionalPartProps {
  readonly fields: readonly PanelTaskField[];
  /** One of them is given, or wrong. */
  readonly open: boolean;
  readonly children: ReactNode;
}

export function OptionalPart({ fields, open, children }: OptionalPartProps): ReactNode {
  const t = usePlaygroundTexts();
  const { language } = useLocale();
  const [opened, setOpened] = useState(false);
  if (fields.length === 0) return null;
  return (
    <details
      className="playground-advanced"
      open={opened || open}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary>
        {t.optionalPart}{" "}
        <span className="quiet small">{fields.map(({ title }) => title[language]).join(", ")}</span>
      </summary>
      <div className="form">{children}</div>
    </details>
  );
}

/**
 * Filters that are out of the way where there is no room for them: behind a button that says how
 * many are set. Each works as it is chosen, as in the row of a wide screen.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Button } from "./button.tsx";
import "./filter-sheet.css";
import { Sheet } from "./sheet.tsx";

interface FilterSheetProps {
  /** How many of them are set otherwise than at first. */
  readonly set: number;
  readonly children: ReactNode;
}

export function FilterSheet({ set, children }: FilterSheetProps): ReactNode {
  const words = useWords();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {set === 0 ? words.filters : words.filtersSet(set)}
      </Button>
      {open ? (
        <Sheet label={words.filters} onClose={() => setOpen(false)}>
          <div className="filter-sheet">
            {/* The page behind it is not there for screen readers, nor is its heading. */}
            <h1 className="dialog-title">{words.filters}</h1>
            {children}
            <Button look="primary" className="button-wide" onClick={() => setOpen(false)}>
              {words.showFound}
            </Button>
          </div>
        </Sheet>
      ) : null}
    </>
  );
}

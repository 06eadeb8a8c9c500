/** Escape, wherever the cursor is, as long as nothing is open that it closes. */
import { useEffect, useRef } from "react";

/** Lists, menus and windows over the page. */
const POPUPS = ".popup-place, .dialog, .drawer, .sheet, [aria-expanded='true'][role='combobox']";

/** @param act null: Escape does nothing now. */
export function useEscape(act: (() => void) | null): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  const listens = act !== null;
  useEffect(() => {
    if (!listens) return undefined;
    const hear = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.isComposing) return;
      if (document.querySelector(POPUPS) === null) latest.current?.();
    };
    // Before what is open closes by the same key.
    document.addEventListener("keydown", hear, true);
    return () => document.removeEventListener("keydown", hear, true);
  }, [listens]);
}

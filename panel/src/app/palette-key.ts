/** The keys that open the command palette: ⌘K on Apple's machines, Ctrl-K on others. */
import { useEffect } from "react";

const APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** As it stands on the button, and as `aria-keyshortcuts` has it. */
export const PALETTE_KEY = APPLE
  ? { shown: "⌘K", named: "Meta+K" }
  : { shown: "Ctrl K", named: "Control+K" };

/**
 * A window that is open keeps its form, and what is shown once: there the keys do nothing. What lies
 * over a list (a receipt, its filters) is none of these.
 */
const WINDOWS = ".dialog, .drawer";

export function usePaletteKey(onPress: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!isPaletteKey(event)) return;
      // Else the browser opens a search of its own.
      event.preventDefault();
      if (!event.repeat && document.querySelector(WINDOWS) === null) onPress();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [onPress]);
}

/** Where the layout has no Latin letters, by the place of the key. */
function isPaletteKey(event: KeyboardEvent): boolean {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (altKey || shiftKey || (APPLE ? !metaKey || ctrlKey : !ctrlKey || metaKey)) return false;
  return /^[a-z]$/i.test(key) ? key.toLowerCase() === "k" : code === "KeyK";
}

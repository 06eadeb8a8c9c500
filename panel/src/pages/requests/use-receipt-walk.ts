/**
 * Arrow keys go from the open receipt to the next one: down to older ones, up to newer ones, Escape
 * back to the list alone.
 */
import { useEffect } from "react";
import type { ReceiptWalk } from "./receipt-walk.ts";

/** In these, arrow keys belong to what has the focus. */
const OWN_KEYS = "input, select, textarea, [contenteditable], [role='menu'], .chart-stop";

interface WalkKeys extends ReceiptWalk {
  /** Null: nothing is open, and no key is listened to. */
  readonly open: string | null;
  onOpen(id: string): void;
  onClose(): void;
}

export function useReceiptWalk({ open, newer, older, onOpen, onClose }: WalkKeys): void {
  useEffect(() => {
    if (open === null) return undefined;
    function hear(event: KeyboardEvent): void {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (target instanceof Element && target.closest(OWN_KEYS) !== null) return;
      if (key === "Escape") onClose();
      const next = key === "ArrowUp" ? newer : key === "ArrowDown" ? older : null;
      if (next === null) return;
      event.preventDefault();
      onOpen(next);
    }
    // On the way down: a sheet lets no arrow key out.
    addEventListener("keydown", hear, { capture: true });
    return () => removeEventListener("keydown", hear, { capture: true });
  }, [open, newer, older, onOpen, onClose]);
}

/** What is opened over a list, at the side; on a phone it takes all of the height and the width. */
import { Dialog as Base } from "@base-ui/react/dialog";
import { useRef } from "react";
import type { ReactNode } from "react";

interface SheetProps {
  /** For screen readers: what it shows has a heading of its own. */
  readonly label: string;
  onClose(): void;
  readonly children: ReactNode;
}

export function Sheet({ label, onClose, children }: SheetProps): ReactNode {
  // Not a button in it: nothing of it is chosen yet.
  const sheet = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup ref={sheet} initialFocus={sheet} className="sheet" aria-label={label}>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A panel that slides in from the side, on phones. */
import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Icon } from "./icon.tsx";

interface DrawerProps {
  readonly title: string;
  readonly open: boolean;
  onOpenChange(open: boolean): void;
  readonly children: ReactNode;
}

export function Drawer({ title, open, onOpenChange, children }: DrawerProps): ReactNode {
  const words = useWords();
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="drawer">
          <div className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            <Base.Close className="button button-ghost button-small" aria-label={words.close}>
              <Icon name="close" size={16} />
            </Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

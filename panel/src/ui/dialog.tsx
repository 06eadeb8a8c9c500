/** A window over the page, for one thing to do; on phones it takes the width. */
import { Dialog as Base } from "@base-ui/react/dialog";
import { useRef } from "react";
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";
import { Icon } from "./icon.tsx";

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  /** Not needed where it insists. */
  onOpenChange?(open: boolean): void;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons, the one to do last. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  /** Stays in sight where everything else is put out of it. */
  readonly alone?: boolean;
  /**
   * Stays until one of its buttons is pressed, whatever is clicked beside it and whichever key:
   * what it shows is shown once.
   */
  readonly insists?: boolean;
}

export function Dialog({
  title,
  open,
  onOpenChange,
  description,
  children,
  actions,
  wide = false,
  alone = false,
  insists = false,
}: DialogProps): ReactNode {
  const words = useWords();
  // Where there is something to fill in, that is first; else the button that closes would be.
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => {
        if (!insists) onOpenChange?.(next);
      }}
      disablePointerDismissal={insists}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          ref={popup}
          className={["dialog", wide ? "dialog-wide" : "", alone ? "dialog-alone" : ""]
            .join(" ")
            .trim()}
          initialFocus={() =>
            popup.current?.querySelector<HTMLElement>("input:not([readonly]), select, textarea") ??
            true
          }
        >
          <div className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            {insists ? null : (
              <Base.Close className="button button-ghost button-small" aria-label={words.close}>
                <Icon name="close" size={16} />
              </Base.Close>
            )}
          </div>
          {description === undefined ? null : (
            <Base.Description className="dialog-description">{description}</Base.Description>
          )}
          {children}
          {actions === undefined ? null : <div className="dialog-actions">{actions}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

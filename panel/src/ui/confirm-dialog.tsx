/** Asks once more before something that cannot be taken back. */
import { AlertDialog } from "@base-ui/react/alert-dialog";
import type { ReactNode } from "react";
import { useFaults } from "../i18n/use-faults.ts";
import { useWords } from "../i18n/use-words.ts";
import { Button } from "./button.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  /** What will happen, plainly. */
  readonly description: ReactNode;
  /** Names the action: `Delete the key`, never `OK`. */
  readonly action: string;
  readonly open: boolean;
  onOpenChange(open: boolean): void;
  onConfirm(): void;
  readonly busy?: boolean;
  readonly error?: unknown;
  readonly danger?: boolean;
  /** False: something is still missing, such as the name typed once more. */
  readonly ready?: boolean;
  /** Fields that the action needs. */
  readonly children?: ReactNode;
}

export function ConfirmDialog({
  title,
  description,
  action,
  open,
  onOpenChange,
  onConfirm,
  busy = false,
  error,
  danger = true,
  ready = true,
  children,
}: ConfirmDialogProps): ReactNode {
  const words = useWords();
  const faults = useFaults();
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
          <AlertDialog.Description className="dialog-description" render={<div />}>
            {description}
          </AlertDialog.Description>
          {error === null || error === undefined ? null : (
            <p className="banner banner-danger" role="alert">
              {faults.sentence(error)}
            </p>
          )}
          {children}
          <div className="dialog-actions">
            <AlertDialog.Close className="button button-secondary">
              {words.cancel}
            </AlertDialog.Close>
            <Button
              look={danger ? "danger" : "primary"}
              busy={busy}
              disabled={!ready}
              onClick={onConfirm}
            >
              {action}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** Stops a key for a while, after asking. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useKeysChanged } from "../../api/account-keys.ts";
import { postApi } from "../../api/call-api.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { KeyDialogProps } from "./key-dialog-props.ts";
import { useKeysTexts } from "./use-keys-texts.ts";

export function FreezeKey({ of: { hash, name }, open, onOpenChange }: KeyDialogProps): ReactNode {
  const t = useKeysTexts();
  const toasts = useToasts();
  const changed = useKeysChanged();
  const freeze = useMutation({
    mutationFn: () => postApi("/keys/{hash}/freeze", { params: { hash } }),
    onSuccess: () => {
      onOpenChange(false);
      changed();
      toasts.done(t.frozen);
    },
  });
  return (
    <ConfirmDialog
      title={t.freezeTitle(name)}
      description={t.freezeText}
      action={t.freeze}
      open={open}
      onOpenChange={onOpenChange}
      onConfirm={() => freeze.mutate()}
      busy={freeze.isPending}
      error={freeze.error}
    />
  );
}

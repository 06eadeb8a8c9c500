/** Deletes a key for good: who does it types its name first. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ReactNode } from "react";
import { useKeysChanged } from "../../api/account-keys.ts";
import { deleteApi } from "../../api/call-api.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { KeyDialogProps } from "./key-dialog-props.ts";
import { useKeysTexts } from "./use-keys-texts.ts";

export function DeleteKey({ of: { hash, name }, open, onOpenChange }: KeyDialogProps): ReactNode {
  const t = useKeysTexts();
  const toasts = useToasts();
  const navigate = useNavigate();
  const changed = useKeysChanged();
  const [typed, setTyped] = useState("");
  const remove = useMutation({
    mutationFn: () => deleteApi("/keys/{hash}", { params: { hash } }),
    onSuccess: () => {
      onOpenChange(false);
      changed();
      toasts.done(t.removed);
      void navigate({ to: "/keys" });
    },
  });
  return (
    <ConfirmDialog
      title={t.removeTitle(name)}
      description={t.removeText}
      action={t.removeAction}
      open={open}
      onOpenChange={(next) => {
        onOpenChange(next);
        setTyped("");
      }}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
      ready={typed.trim() === name.trim()}
    >
      <TextField
        label={t.removeTyped}
        hint={<span className="keys-typed">{name}</span>}
        autoComplete="off"
        value={typed}
        onChange={setTyped}
      />
    </ConfirmDialog>
  );
}

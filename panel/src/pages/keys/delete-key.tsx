/** Deletes a key for good: who does it types its name first. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ReactNode } from "react";
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import { useKeysChanged } from "../../api/account-keys.ts";
import { deleteApi } from "../../api/call-api.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

export function DeleteKey({ of: { hash, name } }: { readonly of: PanelKey }): ReactNode {
  const t = useKeysTexts();
  const toasts = useToasts();
  const navigate = useNavigate();
  const changed = useKeysChanged();
  const [asked, setAsked] = useState(false);
  const [typed, setTyped] = useState("");
  const remove = useMutation({
    mutationFn: () => deleteApi("/keys/{hash}", { params: { hash } }),
    onSuccess: () => {
      changed();
      toasts.done(t.removed);
      void navigate({ to: "/keys" });
    },
  });
  return (
    <>
      <Button look="danger" icon="trash" onClick={() => setAsked(true)}>
        {t.remove}
      </Button>
      <ConfirmDialog
        title={t.removeTitle(name)}
        description={t.removeText}
        action={t.removeAction}
        open={asked}
        onOpenChange={(open) => {
          setAsked(open);
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
    </>
  );
}

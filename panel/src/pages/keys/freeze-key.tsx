/** Stops a key for a while, after asking, and lets it work again. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { PanelKey } from "../../../../src/contract/panel/panel-key.ts";
import { useKeysChanged } from "../../api/account-keys.ts";
import { postApi } from "../../api/call-api.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

export function FreezeKey({ of: { hash, name, frozenAt } }: { readonly of: PanelKey }): ReactNode {
  const t = useKeysTexts();
  const toasts = useToasts();
  const changed = useKeysChanged();
  const [asked, setAsked] = useState(false);
  const change = useMutation({
    mutationFn: (to: "freeze" | "unfreeze") => postApi(`/keys/{hash}/${to}`, { params: { hash } }),
    onSuccess: (_, to) => {
      setAsked(false);
      changed();
      toasts.done(to === "freeze" ? t.frozen : t.unfrozen);
    },
    onError: (error, to) => {
      if (to === "unfreeze") toasts.failed(error);
    },
  });
  if (frozenAt !== null) {
    return (
      <Button busy={change.isPending} onClick={() => change.mutate("unfreeze")}>
        {t.unfreeze}
      </Button>
    );
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t.freeze}</Button>
      <ConfirmDialog
        title={t.freezeTitle(name)}
        description={t.freezeText}
        action={t.freeze}
        open={asked}
        onOpenChange={setAsked}
        onConfirm={() => change.mutate("freeze")}
        busy={change.isPending}
        error={change.error}
      />
    </>
  );
}

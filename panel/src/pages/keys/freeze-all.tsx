/** Freezes every key of the account, after asking: for when something has leaked. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useKeysChanged } from "../../api/account-keys.ts";
import { postApi } from "../../api/call-api.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useKeysTexts } from "./use-keys-texts.ts";

export function FreezeAll(): ReactNode {
  const t = useKeysTexts();
  const toasts = useToasts();
  const changed = useKeysChanged();
  const [asked, setAsked] = useState(false);
  const freeze = useMutation({
    mutationFn: () => postApi("/keys/freeze-all"),
    onSuccess: ({ frozen }) => {
      setAsked(false);
      changed();
      toasts.done(t.frozenAll(frozen));
    },
  });
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t.freezeAll}</Button>
      <ConfirmDialog
        title={t.freezeAllTitle}
        description={t.freezeAllText}
        action={t.freezeAll}
        open={asked}
        onOpenChange={setAsked}
        onConfirm={() => freeze.mutate()}
        busy={freeze.isPending}
        error={freeze.error}
      />
    </>
  );
}

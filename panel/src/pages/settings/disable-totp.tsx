/** Turns the second factor off, for who has the password and a code. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { DisableTotpBody } from "../../../../src/contract/panel/sessions.ts";
import { postApi } from "../../api/call-api.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useForm } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

export function DisableTotp({ onDisabled }: { onDisabled(): void }): ReactNode {
  const t = useSettingsTexts();
  const toasts = useToasts();
  const [open, setOpen] = useState(false);
  const disable = useMutation({
    mutationFn: (body: DisableTotpBody) => postApi("/totp/disable", { body }),
    onSuccess() {
      setOpen(false);
      onDisabled();
      toasts.done(t.totpDisabled);
    },
  });
  const form = useForm({ password: "", code: "" }, disable.error);
  return (
    <div className="form-actions">
      <Button
        onClick={() => {
          form.reset();
          disable.reset();
          setOpen(true);
        }}
      >
        {t.totpDisable}
      </Button>
      <ConfirmDialog
        title={t.totpDisable}
        description={t.totpDisableText}
        action={t.totpDisable}
        open={open}
        onOpenChange={setOpen}
        busy={disable.isPending}
        error={disable.error}
        onConfirm={() => disable.mutate(form.values)}
      >
        <TextField
          label={t.currentPassword}
          type="password"
          autoComplete="current-password"
          {...form.of("password")}
        />
        <TextField label={t.codeOrRecovery} autoComplete="one-time-code" {...form.of("code")} />
      </ConfirmDialog>
    </div>
  );
}

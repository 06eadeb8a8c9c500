/** Adds a passkey: the password first, then the browser; with the first factor come recovery codes. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { postApi } from "../../api/call-api.ts";
import { createPasskey } from "../../app/passkeys.ts";
import type { PasskeysTexts } from "../../i18n/texts/passkeys.ru.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { nameBrowser } from "./name-browser.ts";
import { useSettingsTexts } from "./use-settings-texts.ts";

interface AddPasskeyProps {
  readonly t: PasskeysTexts;
  onAdded(): void;
}

export function AddPasskey({ t, onAdded }: AddPasskeyProps): ReactNode {
  const settings = useSettingsTexts();
  const toasts = useToasts();
  const [open, setOpen] = useState(false);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const add = useMutation({
    async mutationFn({ name, password }: { readonly name: string; readonly password: string }) {
      const made = await createPasskey(await postApi("/passkeys/begin", { body: { password } }));
      if (typeof made === "string") return made;
      return postApi("/passkeys", { body: { name, credential: made.made } });
    },
    onSuccess(added) {
      if (typeof added === "string") return;
      setOpen(false);
      setCodes(added.recoveryCodes);
      onAdded();
      toasts.done(t.done);
    },
  });
  const form = useForm({ name: nameBrowser(navigator.userAgent) ?? "", password: "" }, add.error);
  const failed = typeof add.data === "string" ? t[add.data] : null;
  return (
    <>
      <Button
        small
        onClick={() => {
          form.reset();
          add.reset();
          setOpen(true);
        }}
      >
        {t.add}
      </Button>
      <Dialog title={t.add} description={t.addText} open={open} onOpenChange={setOpen}>
        <Form onSubmit={() => add.mutate(form.values)} error={add.error}>
          {failed === null ? null : (
            <p className="banner banner-danger" role="alert">
              {failed}
            </p>
          )}
          <TextField
            label={t.name}
            hint={t.nameHint}
            maxLength={60}
            required
            {...form.of("name")}
          />
          <TextField
            label={t.password}
            type="password"
            autoComplete="current-password"
            required
            {...form.of("password")}
          />
          <Button look="primary" type="submit" busy={add.isPending}>
            {t.goOn}
          </Button>
        </Form>
      </Dialog>
      <Dialog
        title={settings.recoveryTitle}
        description={settings.recoveryText}
        open={codes !== null}
        insists
        actions={
          <Button look="primary" onClick={() => setCodes(null)}>
            {settings.recoveryKept}
          </Button>
        }
      >
        <CodeBlock label={settings.recoveryTitle} code={(codes ?? []).join("\n")} />
      </Dialog>
    </>
  );
}

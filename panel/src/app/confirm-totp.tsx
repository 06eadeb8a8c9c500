/** A secret for an app of codes, to scan or to type, and the field for a first code of it. */
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { TotpSecret } from "../../../src/contract/panel/sessions.ts";
import { ApiError } from "../api/api-error.ts";
import { postApi } from "../api/call-api.ts";
import { useTexts } from "../i18n/locale.tsx";
import { settingsEn } from "../i18n/texts/settings.en.ts";
import { settingsRu } from "../i18n/texts/settings.ru.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Form, useForm } from "../ui/form.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { TextField } from "../ui/text-field.tsx";
import "./confirm-totp.css";

const TEXTS = { ru: settingsRu, en: settingsEn };

export function ConfirmTotp({
  secret: { secret, uri },
  onCodes,
}: {
  readonly secret: TotpSecret;
  onCodes(codes: readonly string[]): void;
}): ReactNode {
  const t = useTexts(TEXTS);
  const confirm = useMutation({
    mutationFn: (code: string) => postApi("/totp/confirm", { body: { code } }),
    onSuccess: ({ recoveryCodes }) => onCodes(recoveryCodes),
  });
  const form = useForm({ code: "" });
  const wrong =
    confirm.error instanceof ApiError &&
    (confirm.error.code === "wrong_credentials" || confirm.error.code === "invalid_request");
  return (
    <Form
      onSubmit={() => confirm.mutate(form.values.code.trim())}
      error={wrong ? null : confirm.error}
    >
      <div className="confirm-totp">
        <QrCode text={uri} />
        <div>
          <p className="quiet small">{t.totpKey}</p>
          <code>{secret.replaceAll(/(.{4})(?=.)/g, "$1 ")}</code>
          <CopyButton text={secret} label={t.totpKey} bare />
        </div>
      </div>
      <TextField
        label={t.totpCode}
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        {...form.of("code")}
        error={wrong ? t.wrongCode : undefined}
      />
      <Button look="primary" type="submit" busy={confirm.isPending}>
        {t.totpConfirm}
      </Button>
    </Form>
  );
}

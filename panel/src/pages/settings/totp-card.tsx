/** Turns the second factor on, with a code to scan and recovery codes shown once, and off. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { TotpSecret } from "../../../../src/contract/panel/sessions.ts";
import { ApiError } from "../../api/api-error.ts";
import { postApi } from "../../api/call-api.ts";
import { useSession, useSetSession } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, useForm } from "../../ui/form.tsx";
import { QrCode } from "../../ui/qr-code.tsx";
import { Status } from "../../ui/status.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { DisableTotp } from "./disable-totp.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

export function TotpCard(): ReactNode {
  const t = useSettingsTexts();
  const toasts = useToasts();
  const session = useSession();
  const setSession = useSetSession();
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const begin = useMutation({
    mutationFn: () => postApi("/totp/begin"),
    onError: toasts.failed,
  });
  const { totp } = session.member;
  const knowTotp = (on: boolean): void =>
    setSession({ ...session, member: { ...session.member, totp: on } });

  return (
    <Card
      title={t.totpTitle}
      actions={<Status tone={totp ? "good" : "neutral"}>{totp ? t.totpOn : t.totpOff}</Status>}
    >
      <p className="quiet">{t.totpLead}</p>
      {totp ? (
        <DisableTotp onDisabled={() => knowTotp(false)} />
      ) : (
        <div className="form-actions">
          <Button look="primary" busy={begin.isPending} onClick={() => begin.mutate()}>
            {t.totpBegin}
          </Button>
        </div>
      )}
      <Dialog
        title={t.totpTitle}
        description={t.totpScan}
        open={begin.data !== undefined && codes === null}
        onOpenChange={() => begin.reset()}
      >
        {begin.data === undefined ? null : <ConfirmTotp secret={begin.data} onCodes={setCodes} />}
      </Dialog>
      <Dialog
        title={t.recoveryTitle}
        description={t.recoveryText}
        open={codes !== null}
        insists
        actions={
          <Button
            look="primary"
            onClick={() => {
              setCodes(null);
              begin.reset();
              knowTotp(true);
              toasts.done(t.totpEnabled);
            }}
          >
            {t.recoveryKept}
          </Button>
        }
      >
        <CodeBlock label={t.recoveryTitle} code={(codes ?? []).join("\n")} />
      </Dialog>
    </Card>
  );
}

function ConfirmTotp({
  secret: { secret, uri },
  onCodes,
}: {
  readonly secret: TotpSecret;
  onCodes(codes: readonly string[]): void;
}): ReactNode {
  const t = useSettingsTexts();
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
      <div className="settings-scan">
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

/** Turns the second factor on, with a code to scan and recovery codes shown once, and off. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { postApi } from "../../api/call-api.ts";
import { ConfirmTotp } from "../../app/confirm-totp.tsx";
import { useSession, useSetSession } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Status } from "../../ui/status.tsx";
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
  const { totp, passkeys } = session.member;
  // A passkey is one, too.
  const stays = totp && session.account.totpRequired && passkeys === 0;
  const knowTotp = (on: boolean): void =>
    setSession({ ...session, member: { ...session.member, totp: on } });

  return (
    <Card
      title={t.totpTitle}
      actions={<Status tone={totp ? "good" : "neutral"}>{totp ? t.totpOn : t.totpOff}</Status>}
    >
      <p className="quiet">{t.totpLead}</p>
      {stays ? <p className="quiet">{t.totpRequiredNote}</p> : null}
      {stays ? null : totp ? (
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

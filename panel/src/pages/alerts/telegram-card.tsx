/** The chat in which alerts reach the reader: linked by a code that the bot is sent, and unlinked. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { TelegramCode } from "../../../../src/contract/panel/alert.ts";
import { telegramQuery } from "../../api/alerts.ts";
import { deleteApi, postApi } from "../../api/call-api.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { QrCode } from "../../ui/qr-code.tsx";
import { Facts } from "../../ui/stat.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useAlertsTexts } from "./use-alerts-texts.ts";

const LINKING_MS = 2_000;

/** Nothing where the operator has no bot, and no chat is left of one. */
export function TelegramCard(): ReactNode {
  const t = useAlertsTexts();
  const data = useQuery(telegramQuery).data;
  if (data === undefined || (!data.available && data.chat === null)) return null;
  const { available, chat } = data;
  return (
    <Card title={t.telegramTitle}>
      <p className="quiet">{t.telegramLead}</p>
      {chat === null ? null : (
        <Facts
          items={[
            [t.telegramChat, chat.title],
            [t.telegramSince, <Time key="at" iso={chat.linkedAt} />],
          ]}
        />
      )}
      <div className="row">
        {available ? <LinkChat again={chat !== null} /> : null}
        {chat === null ? null : <UnlinkChat />}
      </div>
    </Card>
  );
}

function LinkChat({ again }: { readonly again: boolean }): ReactNode {
  const t = useAlertsTexts();
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const ask = useMutation({ mutationFn: () => postApi("/alerts/telegram/code") });
  return (
    <>
      <Button
        onClick={() => {
          setOpen(true);
          ask.mutate();
        }}
      >
        {again ? t.telegramAnother : t.telegramLink}
      </Button>
      <Dialog
        title={t.telegramLinkTitle}
        open={open}
        onOpenChange={(next) => {
          setOpen(next);
          void client.invalidateQueries({ queryKey: telegramQuery.queryKey });
        }}
      >
        {ask.error !== null ? <ErrorState error={ask.error} /> : null}
        {ask.data === undefined ? null : <Code code={ask.data} />}
      </Dialog>
    </>
  );
}

/** Looks until the bot was sent the code. */
function Code({ code: { command, url, expiresAt } }: { readonly code: TelegramCode }): ReactNode {
  const t = useAlertsTexts();
  const chat = useQuery({ ...telegramQuery, refetchInterval: LINKING_MS }).data?.chat ?? null;
  const [before] = useState(chat?.linkedAt ?? null);
  if (chat !== null && chat.linkedAt !== before)
    return <p aria-live="polite">{t.telegramLinked(chat.title)}</p>;
  return (
    <div className="stack">
      {url === null ? null : (
        <>
          <p>{t.telegramLinkText}</p>
          <a className="button button-primary" href={url} target="_blank" rel="noopener noreferrer">
            {t.telegramOpen}
          </a>
          <QrCode text={url} label={t.telegramQr} />
        </>
      )}
      <p>{url === null ? t.telegramSendUnnamed : t.telegramSend}</p>
      <CodeBlock code={command} label={t.telegramCode} />
      <p className="quiet small">
        {t.telegramUntil} <Time iso={expiresAt} />
      </p>
    </div>
  );
}

function UnlinkChat(): ReactNode {
  const t = useAlertsTexts();
  const toasts = useToasts();
  const client = useQueryClient();
  const unlink = useMutation({
    mutationFn: () => deleteApi("/alerts/telegram"),
    onSuccess: () => toasts.done(t.telegramUnlinked),
    onError: toasts.failed,
    onSettled: () => client.invalidateQueries({ queryKey: telegramQuery.queryKey }),
  });
  return (
    <Button look="ghost" busy={unlink.isPending} onClick={() => unlink.mutate()}>
      {t.telegramUnlink}
    </Button>
  );
}

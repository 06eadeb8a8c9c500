/** The secret that signs the webhooks of alerts: whether there is one, and whole once to the owner who replaces it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { AlertSecret as Made, AlertSecretStatus } from "../../../../src/contract/panel/alert.ts";
import { ALERT_SECRET_PATH } from "../../api/alerts.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { useMay } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Facts } from "../../ui/stat.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useAlertsTexts } from "./use-alerts-texts.ts";

const MASK = "whsec_••••••••";

export function AlertSecret(): ReactNode {
  const t = useAlertsTexts();
  const maySee = useMay("manager");
  const mayRoll = useMay("owner");
  const query = useQuery({
    queryKey: [ALERT_SECRET_PATH],
    enabled: maySee,
    queryFn: ({ signal }) => readApi<AlertSecretStatus>(ALERT_SECRET_PATH, { signal }),
  });
  return (
    <Card title={t.secretTitle}>
      <p className="quiet">{t.secretLead}</p>
      {maySee ? (
        <Loaded query={query}>
          {({ exists, createdAt }) => (
            <>
              {exists ? (
                <Facts
                  items={[
                    [t.secretNow, <code key="s">{MASK}</code>],
                    [t.secretMade, <Time key="m" iso={createdAt} />],
                  ]}
                />
              ) : (
                <p>{t.secretNone}</p>
              )}
              {mayRoll ? <RollSecret first={!exists} /> : <p className="quiet">{t.secretOwnersOnly}</p>}
            </>
          )}
        </Loaded>
      ) : (
        <p>{t.secretManagersOnly}</p>
      )}
    </Card>
  );
}

function RollSecret({ first }: { readonly first: boolean }): ReactNode {
  const t = useAlertsTexts();
  const toasts = useToasts();
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  // Kept here only, and only until it was seen.
  const [shown, setShown] = useState<string | null>(null);
  const roll = useMutation({
    gcTime: 0,
    // Its answer is handed on and not returned: nothing that keeps answers may keep this one.
    mutationFn: async () => setShown((await postApi<Made>(ALERT_SECRET_PATH)).secret),
    onSuccess: () => setAsked(false),
    onError: (error) => (first ? toasts.failed(error) : undefined),
    onSettled: () => client.invalidateQueries({ queryKey: [ALERT_SECRET_PATH] }),
  });
  return (
    <div className="form-actions">
      <Button busy={roll.isPending} onClick={() => (first ? roll.mutate() : setAsked(true))}>
        {first ? t.secretCreate : t.secretRoll}
      </Button>
      <ConfirmDialog
        title={t.secretRollTitle}
        description={t.secretRollText}
        action={t.secretRoll}
        open={asked}
        onOpenChange={setAsked}
        onConfirm={() => roll.mutate()}
        busy={roll.isPending}
        error={roll.error}
      />
      <Dialog
        title={t.secretShownTitle}
        description={t.secretShownText}
        insists
        open={shown !== null}
        actions={
          <Button look="primary" onClick={() => setShown(null)}>
            {t.secretSaved}
          </Button>
        }
      >
        <CodeBlock code={shown ?? ""} label={t.secretShownTitle} />
      </Dialog>
    </div>
  );
}

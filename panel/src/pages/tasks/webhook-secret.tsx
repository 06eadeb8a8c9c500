/** The secret that signs the webhooks of tasks: masked to those who manage, whole once to the owner who replaces it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { TaskWebhookSecret, TaskWebhookSecretRoll, TaskWebhookSecretRolled } from "../../../../src/contract/panel/panel-task.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { useMay } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Facts } from "../../ui/stat.tsx";
import { Time } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";

const QUERY_KEY = ["webhook-secret"];

export function WebhookSecret(): ReactNode {
  const t = useTaskTexts();
  const maySee = useMay("manager");
  const query = useQuery({
    queryKey: QUERY_KEY,
    enabled: maySee,
    queryFn: ({ signal }) => readApi<TaskWebhookSecret>("/webhook-secret", { signal }),
  });
  return (
    <Card title={t.secretTitle}>
      <p className="quiet">{t.secretLead}</p>
      {maySee ? <Loaded query={query}>{(secret) => <Secret secret={secret} />}</Loaded> : <p>{t.secretManagersOnly}</p>}
    </Card>
  );
}

function Secret({ secret }: { readonly secret: TaskWebhookSecret }): ReactNode {
  const t = useTaskTexts();
  const isOwner = useMay("owner");
  return (
    <>
      {secret.masked === null ? (
        <p>{t.secretNone}</p>
      ) : (
        <Facts
          items={[
            [t.secretNow, <code key="s">{secret.masked}</code>],
            [t.secretMade, <Time key="m" iso={secret.madeAt} />],
            [t.secretPrevious, secret.previousUntil === null ? null : <Time key="p" iso={secret.previousUntil} />],
          ]}
        />
      )}
      {isOwner ? <RollSecret first={secret.masked === null} /> : <p className="quiet">{t.secretOwnersOnly}</p>}
    </>
  );
}

function RollSecret({ first }: { readonly first: boolean }): ReactNode {
  const t = useTaskTexts();
  const client = useQueryClient();
  const toasts = useToasts();
  const [asked, setAsked] = useState(false);
  const [atOnce, setAtOnce] = useState(false);
  // Kept here only, and only until it was seen.
  const [shown, setShown] = useState<string | null>(null);
  const roll = useMutation({
    gcTime: 0,
    mutationFn: async (wish: TaskWebhookSecretRoll) => {
      const { secret } = await postApi<TaskWebhookSecretRolled>("/webhook-secret/roll", wish);
      setShown(secret);
    },
    onSuccess: () => {
      setAsked(false);
      setAtOnce(false);
      void client.invalidateQueries({ queryKey: QUERY_KEY });
    },
    // The first one is made without asking, so there is no window to tell it in.
    onError: (error) => {
      if (first) toasts.failed(error);
    },
  });
  return (
    <div className="form-actions">
      <Button busy={roll.isPending} onClick={() => (first ? roll.mutate({}) : setAsked(true))}>
        {first ? t.secretCreate : t.secretRoll}
      </Button>
      <ConfirmDialog
        title={t.secretRollTitle}
        description={t.secretRollText}
        action={t.secretRoll}
        open={asked}
        onOpenChange={setAsked}
        onConfirm={() => roll.mutate(atOnce ? { now: true } : {})}
        busy={roll.isPending}
        error={roll.error}
      >
        <Checkbox label={t.secretAtOnce} hint={t.secretAtOnceHint} checked={atOnce} onChange={setAtOnce} />
      </ConfirmDialog>
      <Dialog
        title={t.secretShownTitle}
        description={t.secretShownText}
        open={shown !== null}
        insists
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

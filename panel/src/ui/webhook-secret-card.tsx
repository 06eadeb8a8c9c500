/**
 * A secret that webhooks are signed with: masked to those who manage, whole once to the owner who
 * replaces it.
 */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Card } from "./card.tsx";
import { CodeBlock } from "./code-block.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { Dialog } from "./dialog.tsx";
import { Loaded } from "./loaded.tsx";
import { Facts } from "./stat.tsx";
import { Time } from "./time.tsx";
import { useToasts } from "./toast.tsx";

export interface WebhookSecretTexts {
  readonly secretTitle: string;
  readonly secretLead: string;
  readonly secretNone: string;
  readonly secretNow: string;
  readonly secretMade: string;
  /** Of a `previousUntil`. */
  readonly secretPrevious?: string;
  readonly secretCreate: string;
  readonly secretRoll: string;
  readonly secretRollTitle: string;
  readonly secretRollText: string;
  readonly secretShownTitle: string;
  readonly secretShownText: string;
  readonly secretSaved: string;
  readonly secretOwnersOnly: string;
  readonly secretManagersOnly: string;
}

export interface MaskedSecret {
  readonly masked: string;
  readonly madeAt: string | null;
  /** Null: there is none before it that still signs, or nothing is said of it. */
  readonly previousUntil: string | null;
}

interface WebhookSecretCardProps {
  readonly texts: WebhookSecretTexts;
  readonly queryKey: readonly string[];
  readonly maySee: boolean;
  readonly mayReplace: boolean;
  /** Null: there is none yet. */
  read(signal: AbortSignal): Promise<MaskedSecret | null>;
  /** Makes the first one or another, and gives it whole. */
  replace(): Promise<string>;
  /** Hears that it was replaced. */
  onReplaced?(): void;
  /** Fields about how it is replaced. */
  readonly children?: ReactNode;
}

export function WebhookSecretCard(props: WebhookSecretCardProps): ReactNode {
  const { texts: t, queryKey, maySee, mayReplace, read } = props;
  const query = useQuery({ queryKey, enabled: maySee, queryFn: ({ signal }) => read(signal) });
  return (
    <Card title={t.secretTitle}>
      <p className="quiet">{t.secretLead}</p>
      {maySee ? (
        <Loaded query={query}>
          {(secret) => (
            <>
              {secret === null ? (
                <p>{t.secretNone}</p>
              ) : (
                <Facts
                  items={[
                    [t.secretNow, <code key="s">{secret.masked}</code>],
                    [t.secretMade, <Time key="m" iso={secret.madeAt} />],
                    [
                      t.secretPrevious,
                      secret.previousUntil === null ? null : (
                        <Time key="p" iso={secret.previousUntil} />
                      ),
                    ],
                  ]}
                />
              )}
              {mayReplace ? (
                <ReplaceSecret {...props} first={secret === null} />
              ) : (
                <p className="quiet">{t.secretOwnersOnly}</p>
              )}
            </>
          )}
        </Loaded>
      ) : (
        <p>{t.secretManagersOnly}</p>
      )}
    </Card>
  );
}

function ReplaceSecret({
  texts: t,
  queryKey,
  replace,
  onReplaced,
  first,
  children,
}: WebhookSecretCardProps & { readonly first: boolean }): ReactNode {
  const toasts = useToasts();
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  // Kept here only, and only until it was seen.
  const [shown, setShown] = useState<string | null>(null);
  const roll = useMutation({
    gcTime: 0,
    // Its answer is handed on and not returned: nothing that keeps answers may keep this one.
    mutationFn: async () => setShown(await replace()),
    onSuccess: () => {
      setAsked(false);
      onReplaced?.();
    },
    // The first one is made without asking, so there is no window to tell it in.
    onError: (error) => (first ? toasts.failed(error) : undefined),
    onSettled: () => client.invalidateQueries({ queryKey }),
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
      >
        {children}
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

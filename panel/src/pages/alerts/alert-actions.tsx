/** What may be done with one rule: a test, a change, its end. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import type { Alert } from "../../../../src/contract/panel/alert.ts";
import { useAlertsChanged } from "../../api/alerts.ts";
import { deleteApi } from "../../api/call-api.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { AlertForm } from "./alert-form.tsx";
import { AlertTest } from "./alert-test.tsx";
import { useAlertsTexts } from "./use-alerts-texts.ts";

interface AlertActionsProps {
  readonly alert: Alert;
  readonly sentence: string;
}

export function AlertActions({ alert, sentence }: AlertActionsProps): ReactNode {
  const t = useAlertsTexts();
  const [editing, setEditing] = useState(false);
  return (
    <div className="alerts-actions" role="group" aria-label={t.actionsOf(sentence)}>
      <AlertTest alert={alert} sentence={sentence} />
      <Button small look="ghost" onClick={() => setEditing(true)}>
        {t.edit}
      </Button>
      <DeleteAlert alert={alert} sentence={sentence} />
      <Dialog title={t.editTitle} description={sentence} open={editing} onOpenChange={setEditing}>
        <AlertForm of={alert} onDone={() => setEditing(false)} />
      </Dialog>
    </div>
  );
}

function DeleteAlert({ alert: { alertId }, sentence }: AlertActionsProps): ReactNode {
  const t = useAlertsTexts();
  const toasts = useToasts();
  const changed = useAlertsChanged();
  const [asked, setAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteApi("/alerts/{id}", { params: { id: alertId } }),
    onSuccess: () => {
      setAsked(false);
      toasts.done(t.removed);
      changed();
    },
  });
  return (
    <>
      <Button
        small
        look="ghost"
        icon="trash"
        aria-label={`${t.remove}: ${sentence}`}
        title={t.remove}
        onClick={() => setAsked(true)}
      />
      <ConfirmDialog
        title={t.removeTitle}
        description={t.removeText(sentence)}
        action={t.removeAction}
        open={asked}
        onOpenChange={setAsked}
        onConfirm={() => remove.mutate()}
        busy={remove.isPending}
        error={remove.error}
      />
    </>
  );
}

/**
 * What an operator may do with a task: let its step begin now, or end it and give its money back.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import { useAction } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useForm } from "../../ui/form.tsx";
import { ActionForm } from "../../ui/operator/action-form.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { TextArea } from "../../ui/text-area.tsx";
import { useToasts } from "../../ui/toast.tsx";

interface TaskActionsProps {
  readonly taskId: string;
  /** To name it; empty: its id does. */
  readonly model: string;
  readonly ended: boolean;
  /** What is held for it, where that is known. */
  readonly price?: string;
  readonly small?: boolean;
}

interface ActionProps extends TaskActionsProps {
  close(): void;
}

export function TaskActions(props: TaskActionsProps): ReactNode {
  const t = useWorkTexts();
  const [open, setOpen] = useState<"retry" | "fail" | null>(null);
  const { small = false, ended } = props;
  const name = props.model === "" ? props.taskId : props.model;
  const close = (): void => setOpen(null);
  return (
    <span className="row">
      <Button small={small} icon="again" onClick={() => setOpen("retry")}>
        {t.retry}
      </Button>
      {ended ? null : (
        <Button small={small} look="danger" onClick={() => setOpen("fail")}>
          {t.fail}
        </Button>
      )}
      <Dialog
        title={t.retryTitle(name)}
        description={t.retryText}
        open={open === "retry"}
        onOpenChange={(next) => setOpen(next ? "retry" : null)}
      >
        <RetryForm {...props} close={close} />
      </Dialog>
      <Dialog
        title={t.failTitle(name)}
        description={t.failText}
        open={open === "fail"}
        onOpenChange={(next) => setOpen(next ? "fail" : null)}
      >
        <FailForm {...props} close={close} />
      </Dialog>
    </span>
  );
}

function RetryForm({ taskId, close }: ActionProps): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const toasts = useToasts();
  const action = useAction("/operator/tasks/{id}/retry", { params: { id: taskId } }, () => {
    toasts.done(t.retryDone);
    close();
  });
  const form = useForm({ reason: "" }, action.error);
  const reason = form.values.reason.trim();
  return (
    <ActionForm
      action={t.retry}
      effect={null}
      ready
      busy={action.busy}
      error={action.error}
      onSubmit={() => action.send(reason === "" ? {} : { reason })}
      onCancel={close}
    >
      <TextArea
        label={shared.reason}
        hint={shared.reasonHint}
        optional
        rows={2}
        maxLength={500}
        {...form.of("reason")}
      />
    </ActionForm>
  );
}

function FailForm({ taskId, price, close }: ActionProps): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const { money } = useFormats();
  const toasts = useToasts();
  const action = useAction(
    "/operator/tasks/{id}/fail",
    { params: { id: taskId } },
    ({ mismatch }) => {
      toasts.done(mismatch ? t.failMismatch : t.failDone);
      close();
    },
  );
  const form = useForm({ reason: "" }, action.error);
  const reason = form.values.reason.trim();
  return (
    <ActionForm
      action={t.fail}
      danger
      effect={price === undefined ? null : t.failEffect(money(price))}
      ready={reason !== ""}
      busy={action.busy}
      error={action.error}
      onSubmit={() => action.send({ reason })}
      onCancel={close}
    >
      <TextArea
        label={shared.reason}
        hint={shared.reasonHint}
        rows={2}
        maxLength={500}
        required
        {...form.of("reason")}
      />
    </ActionForm>
  );
}

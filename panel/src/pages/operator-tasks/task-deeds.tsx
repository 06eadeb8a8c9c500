/** What an operator may do with a task: let its step begin now, or end it and give its money back. */
import { useState } from "react";
import type { ReactNode } from "react";
import type { TaskFailBody, TaskFailed, TaskRetried, TaskRetryBody } from "../../../../src/contract/panel/operator-tasks.ts";
import { useDeed } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useForm } from "../../ui/form.tsx";
import { DeedForm } from "../../ui/operator/deed-form.tsx";
import { useOperatorTexts } from "../../ui/operator/use-operator-texts.ts";
import { useWorkTexts } from "../../ui/operator/use-work-texts.ts";
import { TextArea } from "../../ui/text-area.tsx";
import { useToasts } from "../../ui/toast.tsx";

interface TaskDeedsProps {
  readonly taskId: string;
  /** To name it; empty: its id does. */
  readonly model: string;
  readonly ended: boolean;
  /** What is held for it, where that is known. */
  readonly price?: string;
  readonly small?: boolean;
}

interface DeedProps extends TaskDeedsProps {
  close(): void;
}

export function TaskDeeds(props: TaskDeedsProps): ReactNode {
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

function RetryForm({ taskId, close }: DeedProps): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const toasts = useToasts();
  const deed = useDeed<TaskRetryBody, TaskRetried>(`/tasks/${encodeURIComponent(taskId)}/retry`, () => {
    toasts.done(t.retryDone);
    close();
  });
  const form = useForm({ reason: "" }, deed.error);
  const reason = form.values.reason.trim();
  return (
    <DeedForm
      action={t.retry}
      effect={null}
      ready
      busy={deed.busy}
      error={deed.error}
      onSubmit={() => deed.send(reason === "" ? {} : { reason })}
      onCancel={close}
    >
      <TextArea label={shared.reason} hint={shared.reasonHint} optional rows={2} maxLength={500} {...form.of("reason")} />
    </DeedForm>
  );
}

function FailForm({ taskId, price, close }: DeedProps): ReactNode {
  const t = useWorkTexts();
  const shared = useOperatorTexts();
  const { money } = useFormats();
  const toasts = useToasts();
  const deed = useDeed<TaskFailBody, TaskFailed>(`/tasks/${encodeURIComponent(taskId)}/fail`, ({ mismatch }) => {
    toasts.done(mismatch ? t.failMismatch : t.failDone);
    close();
  });
  const form = useForm({ reason: "" }, deed.error);
  const reason = form.values.reason.trim();
  return (
    <DeedForm
      action={t.fail}
      danger
      effect={price === undefined ? null : t.failEffect(money(price))}
      ready={reason !== ""}
      busy={deed.busy}
      error={deed.error}
      onSubmit={() => deed.send({ reason })}
      onCancel={close}
    >
      <TextArea label={shared.reason} hint={shared.reasonHint} rows={2} maxLength={500} required {...form.of("reason")} />
    </DeedForm>
  );
}

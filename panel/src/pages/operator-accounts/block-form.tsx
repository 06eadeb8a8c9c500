/** Blocks an account, or lets it go again. */
import type { ReactNode } from "react";
import { useAction } from "../../api/operator.ts";
import { useForm } from "../../ui/form.tsx";
import { ActionForm } from "../../ui/operator/action-form.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { ActionProps } from "./action-props.ts";
import { useAccountTexts } from "./use-account-texts.ts";

export function BlockForm({ account, close }: ActionProps): ReactNode {
  const t = useAccountTexts();
  const toasts = useToasts();
  const isBlocked = account.blocked !== null;
  const action = useAction(
    `/operator/accounts/{id}/${isBlocked ? "unblock" : "block"}`,
    { params: { id: account.accountId } },
    ({ blocked }) => {
      toasts.done(blocked === null ? t.unblockedDone : t.blockedDone);
      close();
    },
  );
  const form = useForm({ reason: "" }, action.error);
  const reason = form.values.reason.trim();
  const keys = account.keys.length;
  return (
    <ActionForm
      action={isBlocked ? t.unblock : t.block}
      busy={action.busy}
      error={action.error}
      danger={!isBlocked}
      effect={isBlocked ? t.willWork(keys) : t.willStop(keys)}
      ready={isBlocked || reason !== ""}
      onSubmit={() => action.send(reason === "" ? {} : { reason })}
      onCancel={close}
    >
      <TextArea
        label={t.reason}
        hint={isBlocked ? t.reasonInLog : t.reasonToMembers}
        rows={2}
        maxLength={500}
        {...(isBlocked ? { optional: true } : { required: true })}
        {...form.of("reason")}
      />
    </ActionForm>
  );
}

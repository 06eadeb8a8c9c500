/** Blocks an account, or lets it go again. */
import type { ReactNode } from "react";
import type { BlockBody, OperatorAccountDetail, UnblockBody } from "../../../../src/contract/panel/operator-accounts.ts";
import { useDeed } from "../../api/operator.ts";
import { useForm } from "../../ui/form.tsx";
import { DeedForm } from "../../ui/operator/deed-form.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useToasts } from "../../ui/toast.tsx";
import type { DeedProps } from "./deed-props.ts";
import { useAccountTexts } from "./use-account-texts.ts";

export function BlockForm({ account, close }: DeedProps): ReactNode {
  const t = useAccountTexts();
  const toasts = useToasts();
  const isBlocked = account.blocked !== null;
  const deed = useDeed<BlockBody | UnblockBody, OperatorAccountDetail>(
    `/accounts/${account.accountId}/${isBlocked ? "unblock" : "block"}`,
    ({ blocked }) => {
      toasts.done(blocked === null ? t.unblockedDone : t.blockedDone);
      close();
    },
  );
  const form = useForm({ reason: "" }, deed.error);
  const reason = form.values.reason.trim();
  const keys = account.keys.length;
  return (
    <DeedForm
      action={isBlocked ? t.unblock : t.block}
      busy={deed.busy}
      error={deed.error}
      danger={!isBlocked}
      effect={isBlocked ? t.willWork(keys) : t.willStop(keys)}
      ready={isBlocked || reason !== ""}
      onSubmit={() => deed.send(reason === "" ? {} : { reason })}
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
    </DeedForm>
  );
}

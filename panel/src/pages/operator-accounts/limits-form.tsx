/** Changes how much an account may send. */
import type { ReactNode } from "react";
import { readApi } from "../../api/call-api.ts";
import { useAction } from "../../api/operator.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { valuesOver } from "../../ui/differences.ts";
import { useForm } from "../../ui/form.tsx";
import { MeanwhileNote } from "../../ui/meanwhile-note.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { ActionForm } from "../../ui/operator/action-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useMeanwhile } from "../../ui/use-meanwhile.ts";
import { LIMITS } from "./account-figures.tsx";
import type { ActionProps } from "./action-props.ts";
import { useAccountTexts } from "./use-account-texts.ts";

export function LimitsForm({ account: first, close }: ActionProps): ReactNode {
  const t = useAccountTexts();
  const { count } = useFormats();
  const toasts = useToasts();
  const shown = (limit: number | null): string => (limit === null ? t.noLimit : count(limit));
  const meanwhile = useMeanwhile(first, ({ limits }) =>
    LIMITS.map((name) => [t[name], shown(limits[name])]),
  );
  const account = meanwhile.thing;
  const action = useAction(
    "/operator/accounts/{id}/limits",
    { params: { id: account.accountId } },
    () => {
      toasts.done(t.limitsDone);
      close();
    },
  );
  const form = useForm({ ...account.limits, reason: "" }, action.error);
  const lookAgain = async (error: unknown): Promise<void> => {
    const found = await meanwhile.lookAgain(error, () =>
      readApi("/operator/accounts/{id}", { params: { id: account.accountId } }),
    );
    if (found === null) return;
    const { reason: typed, ...limits } = form.values;
    form.reset({ ...valuesOver(found.before.limits, found.now.limits, limits), reason: typed });
  };
  const unread = LIMITS.some((name) => Number.isNaN(form.values[name]));
  const changed = LIMITS.filter((name) => form.values[name] !== account.limits[name]);
  const reason = form.values.reason.trim();
  return (
    <ActionForm
      action={t.changeLimits}
      busy={action.busy}
      error={action.error}
      effect={
        <>
          <MeanwhileNote differences={meanwhile.differences} />
          {changed.length === 0 || unread ? null : (
            <ul>
              {changed.map((name) => (
                <li key={name}>
                  {t.fromTo(t[name], shown(account.limits[name]), shown(form.values[name]))}
                </li>
              ))}
            </ul>
          )}
        </>
      }
      ready={changed.length > 0 && !unread}
      onSubmit={() =>
        action.send(
          {
            ...Object.fromEntries(changed.map((name) => [name, form.values[name]])),
            ...(reason === "" ? {} : { reason }),
            revision: account.limitsRevision,
          },
          lookAgain,
        )
      }
      onCancel={close}
    >
      {LIMITS.map((name) => (
        <NumberField key={name} label={t[name]} placeholder={t.noLimit} {...form.of(name)} />
      ))}
      <TextField
        label={t.reason}
        hint={t.reasonInLog}
        optional
        maxLength={500}
        {...form.of("reason")}
      />
    </ActionForm>
  );
}

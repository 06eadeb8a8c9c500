/** What to warn about and whom: the same for a new alert and for a change. */
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ALERT_KINDS } from "../../../../src/contract/enums/alert-terms.ts";
import type { Alert } from "../../../../src/contract/panel/alert.ts";
import { allKeysQuery } from "../../api/account-keys.ts";
import { useAlertsChanged } from "../../api/alerts.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { valuesOver } from "../../ui/differences.ts";
import { Form, useForm } from "../../ui/form.tsx";
import { MeanwhileNote } from "../../ui/meanwhile-note.tsx";
import { MoneyField } from "../../ui/money-field.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Select } from "../../ui/select.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useMeanwhile } from "../../ui/use-meanwhile.ts";
import { changeOf, NEW_ALERT, newAlertOf, valuesOf } from "./alert-wishes.ts";
import type { AlertValues } from "./alert-wishes.ts";
import { LimitFields } from "./limit-fields.tsx";
import { RecipientFields } from "./recipient-fields.tsx";
import { useAlertWords } from "./use-alert-words.ts";
import { useAlertsTexts } from "./use-alerts-texts.ts";

interface AlertFormProps {
  /** Null: a new one. */
  readonly of: Alert | null;
  onDone(): void;
}

export function AlertForm({ of: shown, onDone }: AlertFormProps): ReactNode {
  const t = useAlertsTexts();
  const words = useWords();
  const toasts = useToasts();
  const changed = useAlertsChanged();
  const { sentence, recipients } = useAlertWords();
  const meanwhile = useMeanwhile(shown, (one) =>
    one === null
      ? []
      : [
          [t.rule, sentence(one)],
          [t.to, recipients(one).join(", ") || t.nobody],
        ],
  );
  const of = meanwhile.thing;
  const send = useMutation({
    mutationFn: (values: AlertValues) =>
      of === null
        ? postApi("/alerts", { body: newAlertOf(values) })
        : postApi("/alerts/{id}", {
            params: { id: of.alertId },
            body: { ...changeOf(values), revision: of.revision },
          }),
    onError: async (error) => {
      const found = await meanwhile.lookAgain(error, async () => {
        const { data } = await readApi("/alerts");
        return data.find(({ alertId }) => alertId === of?.alertId);
      });
      if (found?.before && found.now)
        form.reset(valuesOver(valuesOf(found.before), valuesOf(found.now), form.values));
    },
    onSuccess: () => {
      toasts.done(of === null ? t.made : t.saved);
      onDone();
    },
    onSettled: changed,
  });
  const form = useForm<AlertValues>(of === null ? NEW_ALERT : valuesOf(of), send.error);
  const { kind } = form.values;
  /** The API's own sentences are English. */
  const mistakeOf = (name: keyof typeof t.mistakes): string | undefined =>
    form.of(name).error === undefined ? undefined : t.mistakes[name];
  return (
    <Form onSubmit={() => send.mutate(form.values)} error={send.error}>
      {of === null ? (
        <Select
          label={t.kind}
          hint={t.kindHints[kind]}
          options={ALERT_KINDS.map((one) => ({ value: one, label: t.kinds[one] }))}
          {...form.of("kind")}
        />
      ) : (
        <p className="quiet">{t.kindHints[kind]}</p>
      )}
      {kind === "balance_below" || kind === "limit_used" ? null : (
        <SubjectField
          value={form.values.keyHash}
          onChange={(hash) => form.set("keyHash", hash)}
          error={mistakeOf("keyHash")}
        />
      )}
      {kind === "spend_spike" ? (
        <NumberField
          label={t.factor}
          hint={t.factorHint}
          required
          {...form.of("factor")}
          error={mistakeOf("factor")}
        />
      ) : null}
      {kind === "limit_used" ? (
        <LimitFields
          form={form}
          percentMistake={mistakeOf("percent")}
          subjectMistake={mistakeOf("groupId") ?? mistakeOf("keyHash")}
        />
      ) : (
        <MoneyField
          label={kind === "spend_spike" ? t.thresholdSpike : t.threshold}
          required
          autoComplete="off"
          {...form.of("threshold")}
          error={mistakeOf("threshold")}
        />
      )}
      <RecipientFields
        form={form}
        membersMistake={mistakeOf("memberIds")}
        webhookMistake={mistakeOf("webhookUrl")}
      />
      <MeanwhileNote differences={meanwhile.differences} />
      <div className="dialog-actions">
        <Button onClick={onDone}>{words.cancel}</Button>
        <Button look="primary" type="submit" busy={send.isPending}>
          {of === null ? words.create : words.save}
        </Button>
      </div>
    </Form>
  );
}

interface SubjectFieldProps {
  readonly value: string;
  onChange(keyHash: string): void;
  readonly error: string | undefined;
}

function SubjectField({ value, onChange, error }: SubjectFieldProps): ReactNode {
  const t = useAlertsTexts();
  const keys = useQuery(allKeysQuery).data?.data ?? [];
  // A deleted key spends no more, but one that is watched already stays what is watched.
  const options = keys
    .filter(({ hash, state }) => state !== "deleted" || hash === value)
    .map(({ hash, name, mask }) => ({ value: hash, label: `${name} · ${mask}` }));
  const gone = value !== "" && !options.some((option) => option.value === value);
  return (
    <Select
      label={t.subject}
      options={[
        { value: "", label: t.wholeAccount },
        ...options,
        ...(gone ? [{ value, label: t.deletedKey }] : []),
      ]}
      value={value}
      onChange={onChange}
      error={error}
    />
  );
}

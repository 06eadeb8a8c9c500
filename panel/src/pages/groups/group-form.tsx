/** Makes a group of keys, or changes one: only what was really changed is sent. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { BUDGET_PERIODS, type BudgetPeriod } from "../../../../src/contract/enums/budget-period.ts";
import type { PanelGroup, PanelGroupChange } from "../../../../src/contract/panel/panel-group.ts";
import { useGroupsChanged } from "../../api/account-groups.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { newFormId } from "../../api/new-form-id.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { GroupsTexts } from "../../i18n/texts/groups.ru.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { valuesOver, type Setting } from "../../ui/differences.ts";
import { Form, useForm } from "../../ui/form.tsx";
import { MeanwhileNote } from "../../ui/meanwhile-note.tsx";
import { ModelsField } from "../../ui/models-field.tsx";
import { MoneyField } from "../../ui/money-field.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useMeanwhile } from "../../ui/use-meanwhile.ts";
import { useGroupsTexts } from "./use-groups-texts.ts";

const NAME_LENGTH = 100;

interface GroupFormProps {
  /** Null: a new one. */
  readonly of: PanelGroup | null;
  readonly open: boolean;
  onOpenChange(open: boolean): void;
}

interface GroupValues {
  readonly name: string;
  /** Empty: none. */
  readonly limit: string;
  readonly period: BudgetPeriod;
  /** None: all. */
  readonly models: readonly string[];
}

export function GroupForm({ of: group, open, onOpenChange }: GroupFormProps): ReactNode {
  const t = useGroupsTexts();
  return (
    <Dialog
      title={group === null ? t.createTitle : t.editTitle}
      open={open}
      onOpenChange={onOpenChange}
    >
      <Fields of={group} onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function valuesOf(group: PanelGroup | null): GroupValues {
  return {
    name: group?.name ?? "",
    limit: group?.limit?.amount ?? "",
    period: group?.limit?.period ?? "month",
    models: group?.models ?? [],
  };
}

function settingsOf(
  group: PanelGroup | null,
  t: GroupsTexts,
  moneyWhole: (amount: string) => string,
): readonly Setting[] {
  if (group === null) return [];
  const { name, limit, models } = group;
  return [
    [t.name, name],
    [
      t.limitAmount,
      limit === null ? t.noLimit : `${moneyWhole(limit.amount)} ${t.periods[limit.period]}`,
    ],
    [t.models, models === null ? t.allModels : models.join(", ")],
  ];
}

function wishesOf({ name, limit, period, models }: GroupValues) {
  return {
    name: name.trim(),
    limit: limit === "" ? null : { amount: limit, period },
    models: models.length === 0 ? null : [...models],
  };
}

function changesOf(group: PanelGroup, values: GroupValues): PanelGroupChange {
  const before: Readonly<Record<string, unknown>> = wishesOf(valuesOf(group));
  const differing = Object.entries(wishesOf(values)).filter(
    ([name, wish]) => JSON.stringify(wish) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(differing);
}

function Fields({ of: shown, onDone }: Pick<GroupFormProps, "of"> & { onDone(): void }): ReactNode {
  const t = useGroupsTexts();
  const words = useWords();
  const toasts = useToasts();
  const changed = useGroupsChanged();
  const [once] = useState(newFormId);
  const { moneyWhole } = useFormats();
  const meanwhile = useMeanwhile(shown, (one) => settingsOf(one, t, moneyWhole));
  const group = meanwhile.thing;
  const save = useMutation({
    mutationFn: async (values: GroupValues) => {
      if (group === null) return postApi("/groups", { body: { ...wishesOf(values), once } });
      const body = changesOf(group, values);
      if (Object.keys(body).length === 0) return group;
      return postApi("/groups/{id}", {
        params: { id: group.id },
        body: { ...body, revision: group.revision },
      });
    },
    onError: async (error) => {
      changed();
      const found = await meanwhile.lookAgain(error, async () => {
        const { data } = await readApi("/groups");
        return data.find(({ id }) => id === group?.id);
      });
      if (found !== null)
        form.reset(valuesOver(valuesOf(found.before), valuesOf(found.now), form.values));
    },
    onSuccess: () => {
      changed();
      toasts.done(group === null ? t.made : t.saved);
      onDone();
    },
  });
  const form = useForm(valuesOf(group), save.error);
  const limit = form.of("limit");
  return (
    <Form onSubmit={() => save.mutate(form.values)} error={save.error}>
      <TextField
        label={t.name}
        hint={t.nameHint}
        required
        maxLength={NAME_LENGTH}
        autoComplete="off"
        {...form.of("name")}
      />
      <div className="groups-pair">
        <MoneyField
          label={t.limitAmount}
          hint={t.limitHint}
          {...limit}
          error={limit.error === undefined ? undefined : t.limitMistake}
        />
        <Select
          label={t.limitPeriod}
          options={BUDGET_PERIODS.map((period) => ({ value: period, label: t.periods[period] }))}
          {...form.of("period")}
        />
      </div>
      <ModelsField
        label={t.models}
        hint={t.modelsHint}
        value={form.values.models}
        onChange={(chosen) => form.set("models", chosen)}
      />
      <MeanwhileNote differences={meanwhile.differences} />
      <div className="dialog-actions">
        <Button onClick={onDone}>{words.cancel}</Button>
        <Button look="primary" type="submit" busy={save.isPending}>
          {group === null ? t.create : words.save}
        </Button>
      </div>
    </Form>
  );
}

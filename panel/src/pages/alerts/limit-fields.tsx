/** Whose limit an alert watches, and how much of it may be used. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { groupsQuery } from "../../api/account-groups.ts";
import { allKeysQuery } from "../../api/account-keys.ts";
import type { FormState } from "../../ui/form.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Select } from "../../ui/select.tsx";
import type { AlertValues } from "./alert-wishes.ts";
import { useAlertsTexts } from "./use-alerts-texts.ts";

interface LimitFieldsProps {
  readonly form: FormState<AlertValues>;
  readonly percentMistake: string | undefined;
  readonly subjectMistake: string | undefined;
}

export function LimitFields({ form, percentMistake, subjectMistake }: LimitFieldsProps): ReactNode {
  const t = useAlertsTexts();
  const groups = useQuery(groupsQuery).data?.data ?? [];
  const keys = useQuery(allKeysQuery).data?.data ?? [];
  const { groupId, keyHash } = form.values;
  const value = groupId !== "" ? `group:${groupId}` : keyHash !== "" ? `key:${keyHash}` : "";
  const options = [
    ...groups.map(({ id, name }) => ({ value: `group:${id}`, label: t.groupOption(name) })),
    ...keys
      .filter(({ hash, state }) => state !== "deleted" || hash === keyHash)
      .map(({ hash, name, mask }) => ({ value: `key:${hash}`, label: `${name} · ${mask}` })),
  ];
  const gone = value !== "" && !options.some((option) => option.value === value);
  return (
    <>
      <Select
        label={t.limitSubject}
        options={[
          { value: "", label: t.chooseSubject, disabled: true },
          ...options,
          ...(gone ? [{ value, label: t.deletedKey }] : []),
        ]}
        value={value}
        onChange={(chosen) => {
          const [what, id = ""] = chosen.split(":");
          form.set("groupId", what === "group" ? id : "");
          form.set("keyHash", what === "key" ? id : "");
        }}
        error={subjectMistake}
      />
      <NumberField
        label={t.percent}
        hint={t.percentHint}
        required
        {...form.of("percent")}
        error={percentMistake}
      />
    </>
  );
}

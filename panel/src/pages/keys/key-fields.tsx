/** The fields of a key: the same for a new one and for a change. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { groupsQuery } from "../../api/account-groups.ts";
import { membersQuery } from "../../api/alerts.ts";
import { useSeesAccount } from "../../app/session.ts";
import { useLocale } from "../../i18n/locale.tsx";
import { DateTimeField } from "../../ui/date-field.tsx";
import type { FormState } from "../../ui/form.tsx";
import { ModelsField } from "../../ui/models-field.tsx";
import { MoneyField } from "../../ui/money-field.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Select } from "../../ui/select.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { KeyValues } from "./key-wishes.ts";
import { useKeysTexts } from "./use-keys-texts.ts";
import { BUDGET_PERIODS } from "../../../../src/contract/enums/budget-period.ts";

const NAME_LENGTH = 100;

interface KeyFieldsProps {
  readonly form: FormState<KeyValues>;
  /** The further restrictions are unfolded from the start. */
  readonly unfolded: boolean;
}

export function KeyFields({ form, unfolded }: KeyFieldsProps): ReactNode {
  const t = useKeysTexts();
  const { timeZone } = useLocale();
  // A developer's keys are its own, and those who manage put them into groups.
  const manages = useSeesAccount();
  const groups = useQuery({ ...groupsQuery, enabled: manages });
  const members = useQuery({ ...membersQuery, enabled: manages });
  /** The API's own sentences are English. */
  const mistakeOf = (name: keyof typeof t.mistakes): string | undefined =>
    form.of(name).error === undefined ? undefined : t.mistakes[name];
  const modelsMistake = mistakeOf("models");
  const wrong =
    modelsMistake !== undefined ||
    mistakeOf("ips") !== undefined ||
    mistakeOf("expiresAt") !== undefined;
  return (
    <>
      <TextField
        label={t.name}
        hint={t.nameHint}
        required
        maxLength={NAME_LENGTH}
        autoComplete="off"
        {...form.of("name")}
      />
      <div className="keys-pair">
        <MoneyField
          label={t.limitAmount}
          hint={t.limitHint}
          {...form.of("limit")}
          error={mistakeOf("limit")}
        />
        <Select
          label={t.limitPeriod}
          options={BUDGET_PERIODS.map((period) => ({ value: period, label: t.periods[period] }))}
          {...form.of("period")}
        />
      </div>
      {manages ? (
        <div className="keys-pair">
          <Select
            label={t.group}
            options={[
              { value: "", label: t.noGroup },
              ...(groups.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
            ]}
            {...form.of("group")}
          />
          <Select
            label={t.owner}
            options={[
              { value: "", label: t.ownedByAccount },
              ...(members.data?.data ?? [])
                .filter(({ verified }) => verified)
                .map(({ memberId, name, email }) => ({ value: memberId, label: name ?? email })),
            ]}
            {...form.of("owner")}
          />
        </div>
      ) : null}
      <details className="keys-more" open={unfolded || wrong}>
        <summary>{t.more}</summary>
        <div className="form">
          <DateTimeField
            label={t.expiry}
            hint={t.expiryHint(timeZone)}
            {...form.of("expiresAt")}
            error={mistakeOf("expiresAt")}
          />
          <ModelsField
            label={t.models}
            hint={modelsMistake ?? t.modelsHint}
            value={form.values.models}
            onChange={(chosen) => form.set("models", chosen)}
          />
          <TextArea
            label={t.ips}
            hint={t.ipsHint}
            rows={3}
            code
            spellCheck={false}
            {...form.of("ips")}
            error={mistakeOf("ips")}
          />
          <p className="quiet small">{t.ratesHint}</p>
          <div className="keys-pair">
            <NumberField label={t.requestsPerMinute} {...form.of("requestsPerMinute")} />
            <NumberField label={t.tokensPerMinute} {...form.of("tokensPerMinute")} />
            <NumberField label={t.maxConcurrent} {...form.of("maxConcurrent")} />
            <NumberField label={t.maxTasks} {...form.of("maxTasks")} />
          </div>
        </div>
      </details>
    </>
  );
}

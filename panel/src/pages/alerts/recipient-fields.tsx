/** Who hears of an alert: people by mail and Telegram, programs by a webhook. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { membersQuery, telegramQuery } from "../../api/alerts.ts";
import { CheckboxList } from "../../ui/checkbox.tsx";
import type { FormState } from "../../ui/form.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { AlertValues } from "./alert-wishes.ts";
import { useAlertsTexts } from "./use-alerts-texts.ts";
import { MAIL_TO } from "../../../../src/contract/enums/alert-terms.ts";

interface RecipientFieldsProps {
  readonly form: FormState<AlertValues>;
  readonly membersMistake: string | undefined;
  readonly webhookMistake: string | undefined;
}

export function RecipientFields({
  form,
  membersMistake,
  webhookMistake,
}: RecipientFieldsProps): ReactNode {
  const t = useAlertsTexts();
  const hasBot = useQuery(telegramQuery).data?.available === true;
  const members = useQuery(membersQuery).data?.data ?? [];
  const { mailTo, telegramTo, memberIds } = form.values;
  const known = members.map(({ memberId, email }) => ({ value: memberId, label: email }));
  const gone = memberIds
    .filter((id) => !known.some(({ value }) => value === id))
    .map((id) => ({ value: id, label: t.formerMember }));
  return (
    <>
      <Select
        label={t.mailTo}
        options={MAIL_TO.map((one) => ({ value: one, label: t.mailTos[one] }))}
        {...form.of("mailTo")}
        onChange={(to) => {
          form.set("mailTo", to);
          // Of a bot that there is not yet nothing is asked: the same people.
          if (!hasBot) form.set("telegramTo", to);
        }}
      />
      {hasBot ? (
        <Select
          label={t.telegramTo}
          hint={t.telegramToHint}
          options={MAIL_TO.map((one) => ({ value: one, label: t.mailTos[one] }))}
          {...form.of("telegramTo")}
        />
      ) : null}
      {mailTo === "members" || telegramTo === "members" ? (
        <CheckboxList
          label={t.members}
          {...(membersMistake === undefined
            ? {}
            : { hint: <span className="field-error">{membersMistake}</span> })}
          options={[...known, ...gone]}
          value={memberIds}
          onChange={(chosen) => form.set("memberIds", chosen)}
        />
      ) : null}
      <TextField
        label={t.webhookUrl}
        hint={t.webhookHint}
        optional
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        maxLength={2000}
        {...form.of("webhookUrl")}
        error={webhookMistake}
      />
    </>
  );
}

/** What a rule says, in a sentence, and who hears of it. */
import { useQuery } from "@tanstack/react-query";
import type { Alert } from "../../../../src/contract/panel/alert.ts";
import { groupsQuery } from "../../api/account-groups.ts";
import { allKeysQuery } from "../../api/account-keys.ts";
import { membersQuery, telegramQuery } from "../../api/alerts.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useAlertsTexts } from "./use-alerts-texts.ts";

export interface AlertWords {
  /** `When the balance falls below ₽500`. */
  sentence(
    alert: Pick<Alert, "kind" | "threshold" | "percent" | "factor" | "keyHash" | "groupId">,
  ): string;
  /** One line for each. */
  recipients(
    alert: Pick<Alert, "mailTo" | "telegramTo" | "memberIds" | "webhookUrl">,
  ): readonly string[];
}

export function useAlertWords(): AlertWords {
  const t = useAlertsTexts();
  const { moneyWhole } = useFormats();
  const keys = useQuery(allKeysQuery).data?.data ?? [];
  const groups = useQuery(groupsQuery).data?.data ?? [];
  const hasBot = useQuery(telegramQuery).data?.available === true;
  const members = useQuery(membersQuery).data?.data;
  return {
    sentence({ kind, threshold, percent, factor, keyHash, groupId }) {
      if (kind === "limit_used")
        return groupId === null
          ? t.limitOfKey(
              keys.find(({ hash }) => hash === keyHash)?.name ?? t.deletedKey,
              percent ?? 0,
            )
          : t.limitOfGroup(
              groups.find(({ id }) => id === groupId)?.name ?? t.deletedKey,
              percent ?? 0,
            );
      const amount = moneyWhole(threshold ?? "0");
      if (keyHash === null) return t.sentences[kind](amount, factor ?? 0);
      return t.ofKey[kind](
        keys.find(({ hash }) => hash === keyHash)?.name ?? t.deletedKey,
        amount,
        factor ?? 0,
      );
    },
    recipients({ mailTo, telegramTo, memberIds, webhookUrl }) {
      const people = (to: Alert["mailTo"], owners: string, named: (email: string) => string) =>
        to === "owners"
          ? [owners]
          : to === "members" && members !== undefined
            ? memberIds.map((id) =>
                named(members.find(({ memberId }) => memberId === id)?.email ?? t.formerMember),
              )
            : [];
      return [
        ...people(mailTo, t.owners, (email) => email),
        ...(hasBot ? people(telegramTo, t.ownersByTelegram, t.byTelegram) : []),
        ...(webhookUrl === null ? [] : [t.webhook(webhookUrl)]),
      ];
    },
  };
}

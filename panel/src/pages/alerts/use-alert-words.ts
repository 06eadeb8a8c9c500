/** What a rule says, in a sentence, and who hears of it. */
import { useQuery } from "@tanstack/react-query";
import type { Alert } from "../../../../src/contract/panel/alert.ts";
import { allKeysQuery } from "../../api/account-keys.ts";
import { membersQuery } from "../../api/alerts.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useAlertsTexts } from "./use-alerts-texts.ts";

export interface AlertWords {
  /** `When the balance falls below ₽500`. */
  sentence(alert: Pick<Alert, "kind" | "threshold" | "factor" | "keyHash">): string;
  /** One line for each. */
  recipients(alert: Pick<Alert, "mailTo" | "memberIds" | "webhookUrl">): readonly string[];
}

export function useAlertWords(): AlertWords {
  const t = useAlertsTexts();
  const { moneyWhole } = useFormats();
  const keys = useQuery(allKeysQuery).data?.data ?? [];
  const members = useQuery(membersQuery).data?.data;
  return {
    sentence({ kind, threshold, factor, keyHash }) {
      const amount = moneyWhole(threshold);
      if (keyHash === null) return t.sentences[kind](amount, factor ?? 0);
      return t.ofKey[kind](
        keys.find(({ hash }) => hash === keyHash)?.name ?? t.deletedKey,
        amount,
        factor ?? 0,
      );
    },
    recipients({ mailTo, memberIds, webhookUrl }) {
      const mails =
        mailTo === "owners"
          ? [t.owners]
          : mailTo === "members" && members !== undefined
            ? memberIds.map(
                (id) => members.find(({ memberId }) => memberId === id)?.email ?? t.formerMember,
              )
            : [];
      return [...mails, ...(webhookUrl === null ? [] : [t.webhook(webhookUrl)])];
    },
  };
}

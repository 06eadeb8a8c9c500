/** An account's money, and what it may send at most. */
import type { ReactNode } from "react";
import { CREDIT_CLASSES, type CreditClass } from "../../../../src/contract/enums/credit-class.ts";
import type { OperatorAccountDetail } from "../../../../src/contract/panel/operator-accounts.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { CopiedId } from "../../ui/operator/copied-id.tsx";
import { Facts, Stat } from "../../ui/stat.tsx";
import { Time } from "../../ui/time.tsx";
import { useAccountTexts } from "./use-account-texts.ts";

export const LIMITS = [
  "requestsPerMinute",
  "tokensPerMinute",
  "maxConcurrent",
  "maxTasks",
] as const;

const MONEY = [
  ["balance", "down"],
  ["held", "up"],
  ["available", "down"],
  ["spent30Days", "up"],
  ["credited", "down"],
  ["charged", "up"],
] as const;

/** Where nothing that was given is left, the balance says it all. */
function leftOf({ left }: OperatorAccountDetail): readonly CreditClass[] {
  return left.trial === "0" && left.bonus === "0" ? [] : CREDIT_CLASSES;
}

export function AccountFigures({
  account,
}: {
  readonly account: OperatorAccountDetail;
}): ReactNode {
  const t = useAccountTexts();
  const { count } = useFormats();
  return (
    <>
      <section aria-label={t.money}>
        <dl className="figure-strip operator-accounts-money">
          {MONEY.map(([name, brief]) => (
            <Stat
              key={name}
              label={t[name]}
              value={<Money amount={account[name]} brief={brief} />}
            />
          ))}
          {leftOf(account).map((name) => (
            <Stat
              key={name}
              label={t.left[name]}
              value={<Money amount={account.left[name]} brief="down" />}
            />
          ))}
        </dl>
      </section>
      <Card title={t.limits}>
        <Facts
          items={[
            ...LIMITS.map((name) => {
              const limit = account.limits[name];
              return [t[name], limit === null ? t.noLimit : count(limit)] as const;
            }),
            [t.opened, <Time key="o" iso={account.createdAt} />],
            [t.id, <CopiedId key="i" id={account.accountId} label={t.id} />],
          ]}
        />
      </Card>
    </>
  );
}

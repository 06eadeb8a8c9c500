/** The figures of the day. */
import type { ReactNode } from "react";
import type { OperatorOverview } from "../../../../src/contract/panel/operator-overview.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { useBusinessTexts } from "../../ui/operator/use-business-texts.ts";
import { Stat } from "../../ui/stat.tsx";

export function Today({ overview }: { readonly overview: OperatorOverview }): ReactNode {
  const t = useBusinessTexts();
  const { count, share } = useFormats();
  const { today, accounts, held } = overview;
  return (
    <Card>
      <dl className="stats">
        <Stat label={t.revenueToday} value={<Money amount={today.revenue} brief="down" />} />
        <Stat label={t.requestsToday} value={count(today.requests)} />
        <Stat
          label={t.errorRate}
          value={today.errorRate === null ? "—" : share(today.errorRate)}
          note={today.failed === 0 ? undefined : t.failedOf(count(today.failed))}
        />
        <Stat
          label={t.activeAccounts}
          value={count(today.activeAccounts)}
          note={t.ofAccounts(count(accounts.total), count(accounts.blocked))}
        />
        <Stat label={t.held} value={<Money amount={held} brief="up" />} note={t.heldNote} />
      </dl>
    </Card>
  );
}

/** What the account owns, what of it is held, and what is left to spend. */
import type { ReactNode } from "react";
import type { Billing } from "../../../../src/contract/panel/top-up.ts";
import { Card } from "../../ui/card.tsx";
import { fromUnits, toUnits } from "../../ui/decimal.ts";
import { Money } from "../../ui/money.tsx";
import { Stat } from "../../ui/stat.tsx";
import { useBillingTexts } from "./use-billing-texts.ts";

export function BalanceCard({
  billing: { balance, held },
}: {
  readonly billing: Billing;
}): ReactNode {
  const t = useBillingTexts();
  return (
    <Card title={t.balance}>
      <p className="billing-balance">
        <Money amount={balance} brief="down" />
      </p>
      <dl className="stats">
        <Stat
          label={t.available}
          value={<Money amount={fromUnits(toUnits(balance) - toUnits(held))} brief="down" />}
        />
        <Stat label={t.held} value={<Money amount={held} brief="up" />} note={t.heldNote} />
      </dl>
    </Card>
  );
}

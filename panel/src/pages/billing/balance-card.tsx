/** What the account owns, what of it is held, and what is left to spend. */
import type { ReactNode } from "react";
import type { Billing } from "../../../../src/contract/panel/top-up.ts";
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
    <dl className="figure-strip">
      <Stat label={t.balance} value={<Money amount={balance} brief="down" />} />
      <Stat
        label={t.available}
        value={<Money amount={fromUnits(toUnits(balance) - toUnits(held))} brief="down" />}
      />
      <Stat label={t.held} value={<Money amount={held} brief="up" />} note={t.heldNote} />
    </dl>
  );
}

/** Adding money: the form where one can pay, or what to do where one cannot. */
import type { ReactNode } from "react";
import type { Billing } from "../../../../src/contract/panel/top-up.ts";
import { useMay, useSession } from "../../app/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { TopUpForm } from "./top-up-form.tsx";
import { useBillingTexts } from "./use-billing-texts.ts";

/** As the field holds it, in whole kopecks. */
const AMOUNT = /^\d{1,10}(\.\d{1,2})?$/;

export function TopUpCard({ billing }: { readonly billing: Billing }): ReactNode {
  const t = useBillingTexts();
  const mayPay = useMay("manager");
  const { account } = useSession();
  // A link may say how much: it stands in the form, and nothing more.
  const { amount } = useFilters({ amount: "" }).values;
  const asked = AMOUNT.test(amount) ? amount : null;
  return (
    <Card title={t.topUpTitle}>
      {billing.available ? (
        mayPay ? (
          <TopUpForm key={asked} billing={billing} asked={asked} />
        ) : (
          <p className="quiet">{account.blocked ? t.blockedNote : t.viewerNote}</p>
        )
      ) : (
        <Closed />
      )}
    </Card>
  );
}

function Closed(): ReactNode {
  const t = useBillingTexts();
  const { member } = useSession();
  return (
    <EmptyState
      title={t.closedTitle}
      text={member.operator ? t.closedOperator : t.closedText}
      action={
        member.operator ? (
          <ButtonLink to="/operator/accounts">{t.toAccounts}</ButtonLink>
        ) : undefined
      }
    />
  );
}

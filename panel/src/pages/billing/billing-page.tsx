/**
 * The account's money: what there is, adding to it, how a payment ended, and where everything came
 * from and went.
 */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { billingQuery } from "../../api/billing.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useFilters } from "../../ui/use-filters.ts";
import { BalanceCard } from "./balance-card.tsx";
import "./billing.css";
import { Ledger } from "./ledger.tsx";
import { TopUpCard } from "./top-up-card.tsx";
import { TopUpHistory } from "./top-up-history.tsx";
import { TopUpNotice } from "./top-up-notice.tsx";
import { useBillingTexts } from "./use-billing-texts.ts";

export function Component(): ReactNode {
  const t = useBillingTexts();
  const billing = useQuery(billingQuery);
  const shown = useFilters({ tab: "ledger", topUp: "" });
  const { tab, topUp } = shown.values;
  return (
    <>
      <PageHead wide title={t.title} lead={t.lead} />
      {topUp === "" ? null : (
        <TopUpNotice key={topUp} topUpId={topUp} onClose={() => shown.set({ topUp: "" })} />
      )}
      <Loaded query={billing} waiting={<Skeleton height={330} />}>
        {(data) => (
          <>
            <BalanceCard billing={data} />
            <TopUpCard billing={data} />
          </>
        )}
      </Loaded>
      <Tabs
        label={t.views}
        value={tab === "top-ups" ? tab : "ledger"}
        onChange={(next) => shown.set({ tab: next })}
        tabs={[
          { value: "ledger", label: t.ledger, content: <Ledger /> },
          { value: "top-ups", label: t.history, content: <TopUpHistory /> },
        ]}
      />
    </>
  );
}

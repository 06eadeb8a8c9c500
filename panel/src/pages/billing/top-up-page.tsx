/** One top-up: its state as it changes, and all that is known of it. */
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTopUp } from "../../api/billing.ts";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Facts } from "../../ui/stat.tsx";
import { Time } from "../../ui/time.tsx";
import "./billing.css";
import { TopUpNotice } from "./top-up-notice.tsx";
import { TopUpState } from "./top-up-state.tsx";
import { useBillingTexts } from "./use-billing-texts.ts";

export function Component(): ReactNode {
  const t = useBillingTexts();
  const { id } = useParams({ from: "/inside/billing/top-ups/$id" });
  const { data: topUp } = useTopUp(id).query;
  return (
    <>
      <PageHead title={t.topUpOne} back={{ to: "/billing", label: t.title }} />
      <TopUpNotice key={id} topUpId={id} />
      {topUp === undefined ? null : (
        <Card>
          <Facts
            items={[
              [t.state, <TopUpState key="s" state={topUp.state} />],
              [t.amount, <Money key="a" amount={topUp.amount} />],
              [
                t.refunded,
                topUp.refunded === "0" ? null : (
                  <span key="r">
                    <Money amount={topUp.refunded} />{" "}
                    <span className="quiet small">{t.refundedNote}</span>
                  </span>
                ),
              ],
              [t.method, t.methods[topUp.method] ?? topUp.method],
              [t.why, topUp.reason === null ? null : (t.reasons[topUp.reason] ?? topUp.reason)],
              [t.by, topUp.createdBy ?? t.somebody],
              [t.beginAt, <Time key="b" iso={topUp.createdAt} />],
              [t.endAt, topUp.endedAt === null ? null : <Time key="e" iso={topUp.endedAt} />],
              [t.number, <code key="n">{topUp.topUpId}</code>],
            ]}
          />
        </Card>
      )}
    </>
  );
}

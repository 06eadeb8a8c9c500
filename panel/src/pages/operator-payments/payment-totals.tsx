/** What the payments of the filters add up to: the line above their list, which follows them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { readApi } from "../../api/call-api.ts";
import type { QueryFor } from "../../api/route-call.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Money } from "../../ui/money.tsx";
import { TotalsBar } from "../../ui/totals-bar.tsx";
import type { Total } from "../../ui/totals-bar.tsx";
import { usePaymentTexts } from "./use-payment-texts.ts";

interface PaymentTotalsProps {
  readonly asked: QueryFor<"GET /operator/payments/totals">;
}

export function PaymentTotals({ asked }: PaymentTotalsProps): ReactNode {
  const t = usePaymentTexts();
  const { count } = useFormats();
  const { data } = useQuery({
    queryKey: ["/operator/payments", "totals", asked],
    queryFn: ({ signal }) => readApi("/operator/payments/totals", { query: asked, signal }),
    placeholderData: keepPreviousData,
  });
  if (data === undefined) return <TotalsBar label={t.totals} totals={null} />;
  const { payments, succeeded, credited, refunded, open, atLeast } = data;
  const aside = atLeast ? t.ofNewest : t.totalSucceeded(count(succeeded));
  const totals: readonly Total[] = [
    {
      label: t.totalPayments,
      shown: (
        <>
          {count(payments)} <span className="quiet small">{aside}</span>
        </>
      ),
    },
    { label: t.totalCredited, shown: <Money amount={credited} brief="down" /> },
    { label: t.totalRefunded, shown: <Money amount={refunded} brief="up" /> },
    { label: t.totalOpen, shown: <Money amount={open} brief="down" /> },
  ];
  return <TotalsBar label={t.totals} totals={totals} />;
}

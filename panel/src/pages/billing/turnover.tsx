/** What the ledger of some days adds up to: for the bookkeeper who closes a month. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { readApi } from "../../api/call-api.ts";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Money } from "../../ui/money.tsx";
import { Stat } from "../../ui/stat.tsx";
import { useBillingTexts } from "./use-billing-texts.ts";

interface TurnoverProps {
  /** Moments, as the API asks for them. */
  readonly period: { readonly from?: string; readonly to?: string };
}

export function Turnover({ period }: TurnoverProps): ReactNode {
  const t = useBillingTexts();
  const turnover = useQuery({
    queryKey: ["ledger", "turnover", period],
    queryFn: ({ signal }) => readApi("/ledger/turnover", { query: period, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Card title={t.turnover}>
      <Loaded query={turnover}>
        {({ opening, toppedUp, adjusted, charged, closing }) => (
          <dl className="stats billing-turnover">
            <Stat label={t.opening} value={<Money amount={opening} />} />
            <Stat label={t.toppedUp} value={<Money amount={toppedUp} />} />
            {adjusted === "0" ? null : (
              <Stat label={t.adjusted} value={<Money amount={adjusted} />} />
            )}
            <Stat label={t.charged} value={<Money amount={charged} />} />
            <Stat label={t.closing} value={<Money amount={closing} />} />
          </dl>
        )}
      </Loaded>
    </Card>
  );
}

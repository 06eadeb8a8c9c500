/** What all requests of the filters add up to: the line above their list, which follows them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { readApi } from "../../api/call-api.ts";
import type { QueryFor } from "../../api/route-call.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Money } from "../../ui/money.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";
import { TotalsBar } from "../../ui/totals-bar.tsx";
import type { Total } from "../../ui/totals-bar.tsx";

interface TotalsLineProps {
  readonly asked: QueryFor<"GET /requests/totals">;
  /** While the list is live. */
  readonly everyMs: number | undefined;
}

export function TotalsLine({ asked, everyMs }: TotalsLineProps): ReactNode {
  const t = useReceiptTexts();
  const { count, countBrief, share, duration } = useFormats();
  const { data } = useQuery({
    queryKey: ["requests", "totals", asked],
    queryFn: ({ signal }) => readApi("/requests/totals", { query: asked, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs ?? false,
  });
  if (data === undefined) return <TotalsBar label={t.totals} totals={null} />;
  const { requests, unfinished, errors, atLeast, charged, inputTokens, outputTokens } = data;
  const { durationMs, timeToFirstTokenMs } = data;
  const totals: readonly Total[] = [
    {
      label: t.title,
      shown: (
        <>
          {atLeast ? t.atLeast(count(requests)) : count(requests)}
          {unfinished === 0 ? null : (
            <span className="quiet small"> {t.unfinished(unfinished, count(unfinished))}</span>
          )}
        </>
      ),
    },
    {
      label: t.charged,
      shown: (
        <>
          {atLeast ? `${t.atLeast("")} ` : null}
          <Money amount={charged} brief="up" />
        </>
      ),
    },
    {
      label: t.errors,
      shown: (
        <>
          {count(errors)}
          {requests === 0 ? null : <span className="quiet small"> {share(errors / requests)}</span>}
        </>
      ),
    },
    {
      label: t.tokens,
      shown: t.tokensInOut(countBrief(inputTokens), countBrief(outputTokens)),
      className: "requests-totals-tokens",
    },
    ...(durationMs === null ? [] : [{ label: t.meanDuration, shown: duration(durationMs) }]),
    ...(timeToFirstTokenMs === null
      ? []
      : [{ label: t.meanFirstToken, shown: duration(timeToFirstTokenMs) }]),
  ];
  return <TotalsBar label={t.totals} totals={totals} />;
}

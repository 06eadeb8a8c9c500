/** What all requests of the filters add up to: the line above their list, which follows them. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { readApi } from "../../api/call-api.ts";
import type { QueryFor } from "../../api/route-call.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { Money } from "../../ui/money.tsx";
import { useReceiptTexts } from "../../ui/receipt/use-receipt-texts.ts";

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
  // Its place is kept, so that the list does not jump; a list without it is a list all the same.
  if (data === undefined) return <div className="requests-totals" aria-hidden="true" />;
  const { requests, unfinished, errors, atLeast, charged, inputTokens, outputTokens } = data;
  const { durationMs, timeToFirstTokenMs } = data;
  const counted = (shown: string): string => (atLeast ? t.atLeast(shown) : shown);
  return (
    <section aria-label={t.totals}>
      <dl className="requests-totals">
        <Total label={t.title}>
          {counted(count(requests))}
          {unfinished === 0 ? null : (
            <span className="quiet small"> {t.unfinished(unfinished, count(unfinished))}</span>
          )}
        </Total>
        <Total label={t.charged}>
          {atLeast ? `${t.atLeast("")} ` : null}
          <Money amount={charged} brief="up" />
        </Total>
        <Total label={t.errors}>
          {count(errors)}
          {requests === 0 ? null : <span className="quiet small"> {share(errors / requests)}</span>}
        </Total>
        <Total label={t.tokens} className="requests-totals-tokens">
          {t.tokensInOut(countBrief(inputTokens), countBrief(outputTokens))}
        </Total>
        {durationMs === null ? null : <Total label={t.meanDuration}>{duration(durationMs)}</Total>}
        {timeToFirstTokenMs === null ? null : (
          <Total label={t.meanFirstToken}>{duration(timeToFirstTokenMs)}</Total>
        )}
      </dl>
    </section>
  );
}

function Total({
  label,
  className,
  children,
}: {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div className={className}>
      <dt>{label}</dt>
      <dd className="figure">{children}</dd>
    </div>
  );
}

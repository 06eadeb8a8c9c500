/** The figures of the day beside what they were. */
import type { ReactNode } from "react";
import type { OperatorOverview } from "../../../../src/contract/panel/operator-overview.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { plotAmount } from "../../ui/charts/chart-point.ts";
import { Money } from "../../ui/money.tsx";
import { Stat } from "../../ui/stat.tsx";
import { Status } from "../../ui/status.tsx";
import { Against } from "./against.tsx";
import { useChanges } from "./use-changes.ts";
import { useMorningTexts } from "./use-morning-texts.ts";

/** So much larger a share of failures than yesterday's is told in colour. */
const WORSE_BY = 0.01;

export function DayStrip({ overview }: { readonly overview: OperatorOverview }): ReactNode {
  const t = useMorningTexts();
  const { count, share, duration, moneyBrief } = useFormats();
  const changes = useChanges();
  const { today, compared, liabilities, accounts, latency } = overview;
  const { errorRate } = today;
  const before = compared?.yesterday.errorRate ?? null;
  const isWorse = errorRate !== null && before !== null && errorRate - before > WORSE_BY;
  const time = (ms: number | null): string => (ms === null ? "—" : duration(ms));
  const newest = t.byNewest(count(latency.requests));
  return (
    <dl className="figure-strip morning-strip">
      <Stat
        label={t.topUps}
        value={<Money amount={today.topUps} brief="down" />}
        note={
          <>
            {[
              t.topUpCount(today.topUpCount),
              ...(plotAmount(today.refunded) > 0
                ? [t.refunded(moneyBrief(today.refunded, "up"))]
                : []),
              ...(plotAmount(today.given) > 0 ? [t.given(moneyBrief(today.given, "up"))] : []),
            ].join(", ")}
            <br />
            <Against changes={changes.of(compared, ({ topUps }) => plotAmount(topUps))} />
          </>
        }
      />
      <Stat
        label={t.liabilities}
        value={<Money amount={liabilities.balance} brief="up" />}
        note={t.heldOf(moneyBrief(liabilities.held, "up"))}
      />
      <Stat
        label={t.newAccounts}
        value={count(today.newAccounts)}
        note={
          compared === null
            ? t.ofAccounts(count(accounts.total), count(accounts.blocked))
            : `${t.yesterdayWas(count(compared.yesterday.newAccounts))}, ${t.weekAgoWas(count(compared.weekAgo.newAccounts))}`
        }
      />
      <Stat
        label={t.active}
        value={count(today.activeAccounts)}
        note={t.ofAccounts(count(accounts.total), count(accounts.blocked))}
      />
      <Stat
        label={t.requests}
        value={count(today.requests)}
        note={<Against changes={changes.of(compared, ({ requests }) => requests)} />}
      />
      <Stat
        label={t.errors}
        value={
          errorRate === null ? (
            "—"
          ) : isWorse ? (
            <Status tone="bad">{share(errorRate)}</Status>
          ) : (
            share(errorRate)
          )
        }
        note={
          <>
            {today.failed === 0 ? null : (
              <>
                {t.failedOf(count(today.failed))}
                <br />
              </>
            )}
            <Against changes={changes.inPoints(compared, (day) => day.errorRate)} />
          </>
        }
      />
      <Stat
        label={<span title={newest}>{t.first}</span>}
        value={time(latency.firstContent.p50Ms)}
        note={
          <>
            {t.p95(time(latency.firstContent.p95Ms))}
            <br />
            <Against changes={changes.of(compared, ({ meanFirstMs }) => meanFirstMs)} />
          </>
        }
      />
      <Stat
        label={<span title={newest}>{t.whole}</span>}
        value={time(latency.whole.p50Ms)}
        note={
          <>
            {t.p95(time(latency.whole.p95Ms))}
            <br />
            <Against changes={changes.of(compared, ({ meanMs }) => meanMs)} />
          </>
        }
      />
    </dl>
  );
}

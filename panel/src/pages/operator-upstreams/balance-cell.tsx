/** What is left with an upstream's provider, for how long it lasts, and since when that is known. */
import type { ReactNode } from "react";
import type { UpstreamHealth } from "../../../../src/contract/panel/operator-upstreams.ts";
import { useFormats } from "../../i18n/locale.tsx";
import { useUpstreamTexts } from "./use-upstream-texts.ts";

export function BalanceCell({ balance }: Pick<UpstreamHealth, "balance">): ReactNode {
  const t = useUpstreamTexts();
  const { decimal, listTime } = useFormats();
  if (balance === null) return "—";
  const { amount, currency, reportedAt, below, low, lastsDays, failure, failureStatus } = balance;
  const details = [
    low && below !== null ? t.balanceLow(decimal(below)) : null,
    lastsDays === null ? null : t.balanceLasts(lastsDays),
    failure === null
      ? null
      : [t.balanceFailures[failure], failure === "refused" ? failureStatus : null]
          .filter((part) => part !== null)
          .join(" "),
    reportedAt === null ? null : t.balanceAt(listTime(reportedAt).text),
  ].filter((part) => part !== null);
  const tone = low ? "figure nowrap status-bad" : "figure nowrap";
  return (
    <span className="operator-upstreams-stacked">
      {amount === null ? (
        failure === null ? (
          <span className="quiet">{t.balanceUnknown}</span>
        ) : null
      ) : (
        <span className={tone}>
          {`${decimal(amount)}\u00A0${currency === "credits" ? t.credits : (currency ?? "")}`}
        </span>
      )}
      {details.map((detail) => (
        <span key={detail} className="quiet small">
          {detail}
        </span>
      ))}
    </span>
  );
}

/** The account's money as it is now, how long it lasts, and a warning before it ends. */
import type { ReactNode } from "react";
import type { Overview } from "../../../../src/contract/panel/overview.ts";
import { useFormats } from "../../i18n/locale.tsx";
import type { Formats } from "../../i18n/locale.tsx";
import type { OverviewTexts } from "../../i18n/texts/overview.ru.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Money } from "../../ui/money.tsx";
import { Stat } from "../../ui/stat.tsx";
import { useOverviewTexts } from "./use-overview-texts.ts";

const LOW_DAYS = 3;
const FOREVER_DAYS = 3650;

export function MoneyNow({ overview }: { readonly overview: Overview }): ReactNode {
  const t = useOverviewTexts();
  const formats = useFormats();
  const { balance, held, available, runsOutInDays, dailyMean } = overview;
  const warning = warningOf(overview, t);
  return (
    <>
      {warning === null ? null : (
        <p className="banner banner-warn" role="status">
          {warning}
        </p>
      )}
      <Card
        title={t.money}
        actions={
          <ButtonLink look="primary" small icon="wallet" to="/billing">
            {t.topUp}
          </ButtonLink>
        }
      >
        <dl className="stats">
          <Stat label={t.balance} value={<Money amount={balance} brief="down" />} />
          <Stat label={t.held} value={<Money amount={held} brief="up" />} note={t.heldNote} />
          <Stat label={t.available} value={<Money amount={available} brief="down" />} />
          <Stat
            label={t.lasts}
            value={lastsOf(runsOutInDays, t, formats)}
            note={
              runsOutInDays === null
                ? t.lastsUnknownNote
                : t.lastsNote(formats.moneyBrief(dailyMean, "up"))
            }
          />
        </dl>
      </Card>
    </>
  );
}

function warningOf(
  { blocked, available, balance, runsOutInDays, last30Days }: Overview,
  t: OverviewTexts,
): string | null {
  // The page says so at its top.
  if (blocked) return null;
  // A new account is told so by its first steps.
  const isNew = balance === "0" && last30Days.requests + last30Days.tasks === 0;
  if (available === "0" || available.startsWith("-")) return isNew ? null : t.empty;
  return runsOutInDays !== null && runsOutInDays < LOW_DAYS ? t.low : null;
}

function lastsOf(days: number | null, t: OverviewTexts, { count }: Formats): string {
  if (days === null) return t.lastsUnknown;
  if (days < 1) return t.lessThanDay;
  return days > FOREVER_DAYS ? t.longEnough : t.days(days, count(days));
}

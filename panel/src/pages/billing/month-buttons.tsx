/** Chooses this month or the one before, by a press each. */
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { monthOf } from "../../i18n/period-of-days.ts";
import { useLocale } from "../../i18n/locale.tsx";
import { useBillingTexts } from "./use-billing-texts.ts";

interface MonthButtonsProps {
  /** With the first and the last day, `YYYY-MM-DD`. */
  onChoose(days: { readonly from: string; readonly to: string }): void;
}

export function MonthButtons({ onChoose }: MonthButtonsProps): ReactNode {
  const t = useBillingTexts();
  const { timeZone } = useLocale();
  return (
    <>
      <Button look="ghost" onClick={() => onChoose(monthOf(Date.now(), 0, timeZone))}>
        {t.thisMonth}
      </Button>
      <Button look="ghost" onClick={() => onChoose(monthOf(Date.now(), -1, timeZone))}>
        {t.lastMonth}
      </Button>
    </>
  );
}

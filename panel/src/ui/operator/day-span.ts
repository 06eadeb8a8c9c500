/**
 * Two days of the address as the moments that the API takes: from the first one's beginning to the
 * last one's end.
 */
import { useLocale } from "../../i18n/locale.tsx";
import { fromLocalTime } from "../../i18n/local-time.ts";

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

interface Span {
  readonly from: string;
  readonly to: string;
}

/** In the member's time zone; an empty day stays empty. */
export function useDaySpan({ from, to }: Span): Span {
  const { timeZone } = useLocale();
  const beginningOf = (day: string): string => fromLocalTime(`${day}T00:00`, timeZone);
  return {
    from: DAY.test(from) ? beginningOf(from) : "",
    to: DAY.test(to)
      ? beginningOf(new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10))
      : "",
  };
}

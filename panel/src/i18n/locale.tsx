/** In which language and time zone the pages speak, and how a component asks for its texts. */
import { createContext, useContext, useEffect, useMemo, useState } from "react";
import type { ReactNode } from "react";
import {
  formatChange,
  formatCount,
  formatCountBrief,
  formatDecimal,
  formatPoints,
  formatShare,
  formatSize,
} from "./format-number.ts";
import {
  chargeParts,
  formatMoney,
  formatMoneyBrief,
  formatMoneyWhole,
  moneyBriefParts,
  moneyParts,
  priceParts,
} from "./format-money.ts";
import type { MoneyParts, MoneyRounding } from "./format-money.ts";
import { formatListTime, zoneName } from "./format-list-time.ts";
import type { ListTime } from "./format-list-time.ts";
import {
  DEFAULT_TIME_ZONE,
  formatDate,
  formatDay,
  formatDuration,
  formatLongDay,
  formatHour,
  formatNow,
  formatRelative,
  formatTime,
  formatToday,
  moscowDay,
} from "./format-time.ts";
import { type Language, LANGUAGES } from "../../../src/contract/enums/language.ts";

/** The same texts in both languages: the type of one is the type of the other. */
type Bilingual<Texts> = Readonly<Record<Language, Texts>>;

export interface Locale {
  readonly language: Language;
  readonly timeZone: string;
  setLanguage(language: Language): void;
  setTimeZone(timeZone: string): void;
}

const LocaleContext = createContext<Locale | null>(null);
const STORED_LANGUAGE = "tollgate.language";

function firstLanguage(): Language {
  const stored = localStorage.getItem(STORED_LANGUAGE);
  const known = LANGUAGES.find((language) => language === stored);
  if (known !== undefined) return known;
  return navigator.languages.some((language) => language.startsWith("ru")) ? "ru" : "en";
}

export function LocaleProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [language, setState] = useState(firstLanguage);
  const [timeZone, setTimeZone] = useState(DEFAULT_TIME_ZONE);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const locale = useMemo<Locale>(
    () => ({
      language,
      timeZone,
      setTimeZone,
      setLanguage(next) {
        localStorage.setItem(STORED_LANGUAGE, next);
        setState(next);
      },
    }),
    [language, timeZone],
  );
  return <LocaleContext value={locale}>{children}</LocaleContext>;
}

export function useLocale(): Locale {
  const locale = useContext(LocaleContext);
  if (locale === null) throw new Error("there is no LocaleProvider around this");
  return locale;
}

/** The texts of an area in the language of the moment. */
export function useTexts<Texts>(texts: Bilingual<Texts>): Texts {
  return texts[useLocale().language];
}

export interface Formats {
  /** All digits. */
  money(amount: string): string;
  /** To the kopeck. */
  moneyBrief(amount: string, rounding: MoneyRounding): string;
  /** Of a limit or a sum to choose: kopecks only where it has some. */
  moneyWhole(amount: string): string;
  /** The same in parts, some of which step back: for `Money` and `Charge`. */
  moneyParts(amount: string): MoneyParts;
  moneyBriefParts(amount: string, rounding: MoneyRounding): MoneyParts;
  chargeParts(amount: string): MoneyParts;
  priceParts(amount: string): MoneyParts;
  time(iso: string): string;
  /** Of a row of a list: short, and to the millisecond where it is of today. */
  listTime(iso: string): ListTime;
  /** The member's time zone, as its people name it. */
  zone(): string;
  /** The head of a column of times: its zone stands there once, `Когда, МСК`. */
  inZone(head: string): string;
  date(iso: string): string;
  /** Of a calendar day of this year. */
  longDay(day: string): string;
  /**
   * Of a chart's mark for `YYYY-MM-DD`, a day as the API counts them; today is named, because it is
   * not over.
   */
  dayMark(day: string): { readonly key: string; readonly label: string; readonly partial: boolean };
  /** Of a chart's mark for the hour that begins at a moment; the running one is named. */
  hourMark(
    iso: string,
    partial: boolean,
  ): { readonly key: string; readonly label: string; readonly partial: boolean };
  relative(iso: string): string;
  duration(ms: number): string;
  count(count: number): string;
  /** Of a headline figure: from a million on with a word. */
  countBrief(count: number): string;
  /** Of a change as a share of what was before. */
  change(change: number): string;
  /** Of a difference of two shares, in points of a percent. */
  points(difference: number): string;
  /** Of a decimal string: all digits. */
  decimal(decimal: string): string;
  /** Of a share from 0 to 1. */
  share(share: number): string;
  size(bytes: number): string;
}

/** Every formatter, in the language and the time zone of the moment. */
export function useFormats(): Formats {
  const { language, timeZone } = useLocale();
  return useMemo(() => {
    const style = { language, timeZone };
    return {
      money: (amount) => formatMoney(amount, language),
      moneyBrief: (amount, rounding) => formatMoneyBrief(amount, language, rounding),
      moneyWhole: (amount) => formatMoneyWhole(amount, language),
      moneyParts: (amount) => moneyParts(amount, language),
      moneyBriefParts: (amount, rounding) => moneyBriefParts(amount, language, rounding),
      chargeParts: (amount) => chargeParts(amount, language),
      priceParts: (amount) => priceParts(amount, language),
      time: (iso) => formatTime(iso, style),
      listTime: (iso) => formatListTime(iso, Date.now(), style),
      zone: () => zoneName(Date.now(), style),
      inZone: (head) => `${head}, ${zoneName(Date.now(), style)}`,
      date: (iso) => formatDate(iso, style),
      longDay: (day) => formatLongDay(day, language),
      dayMark(day) {
        const partial = day === moscowDay(Date.now());
        return {
          key: day,
          label: partial ? formatToday(language) : formatDay(day, language),
          partial,
        };
      },
      hourMark: (iso, partial) => ({
        key: iso,
        label: partial ? formatNow(language) : formatHour(iso, style),
        partial,
      }),
      relative: (iso) => formatRelative(iso, Date.now(), language),
      duration: (ms) => formatDuration(ms, language),
      count: (count) => formatCount(count, language),
      countBrief: (count) => formatCountBrief(count, language),
      change: (change) => formatChange(change, language),
      points: (difference) => formatPoints(difference, language),
      decimal: (decimal) => formatDecimal(decimal, language),
      share: (share) => formatShare(share, language),
      size: (bytes) => formatSize(bytes, language),
    };
  }, [language, timeZone]);
}

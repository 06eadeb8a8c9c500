/**
 * An amount of roubles: every digit of it, or to the kopeck with every digit at hand. Kopecks and
 * the sign step back, so that one glance tells the size and a second one the sum.
 */
import type { CSSProperties, ReactNode } from "react";
import { placesOf, withSign } from "../i18n/format-money.ts";
import type { MoneyParts, MoneyRounding } from "../i18n/format-money.ts";
import { useFormats, useLocale } from "../i18n/locale.tsx";

interface MoneyProps {
  /** Decimal string of the API. */
  readonly amount: string;
  /** To the kopeck: `down` what an account has, `up` what was spent. */
  readonly brief?: MoneyRounding;
  /** Below others: how many digits the longest of them has behind its comma. */
  readonly places?: number;
}

export function Money({ amount, brief, places }: MoneyProps): ReactNode {
  const { money, moneyParts, moneyBriefParts } = useFormats();
  const { language } = useLocale();
  const parts = brief === undefined ? moneyParts(amount) : moneyBriefParts(amount, brief);
  const exact = money(amount);
  return (
    <Figure
      parts={parts}
      signed
      exact={withSign(parts, language) === exact ? undefined : exact}
      // Of an exact sum that goes on beyond its kopecks, every digit counts.
      quiet={brief !== undefined || placesOf(amount) === 2}
      room={places === undefined ? 0 : places - placesOf(amount)}
    />
  );
}

/**
 * What one request cost, in a list whose head names the rouble: commas stand under each other.
 */
export function Charge({ amount }: Pick<MoneyProps, "amount">): ReactNode {
  const { money, chargeParts } = useFormats();
  const parts = chargeParts(amount);
  const small = parts.fraction.length > 3;
  return (
    <Figure
      parts={small ? { ...parts, fraction: parts.fraction.slice(0, 3) } : parts}
      tail={small ? parts.fraction.slice(3) : undefined}
      exact={money(amount)}
      quiet={!small}
      room={small ? 0 : 2}
    />
  );
}

/**
 * Of a list of prices whose head names the rouble: all digits that there are, and commas stand
 * under each other. `places`: how many the longest has behind its comma.
 */
export function Price({
  amount,
  places,
}: Required<Pick<MoneyProps, "amount" | "places">>): ReactNode {
  const { priceParts } = useFormats();
  const parts = priceParts(amount);
  const missing = places - Math.max(0, parts.fraction.length - 1);
  // A comma is half as wide as a digit.
  const room = parts.fraction === "" && places > 0 ? missing + 0.5 : missing;
  return <Figure parts={parts} exact={undefined} quiet={false} room={room} />;
}

interface FigureProps {
  readonly parts: MoneyParts;
  readonly signed?: boolean;
  /** After the kopecks. */
  readonly tail?: string | undefined;
  readonly exact: string | undefined;
  /** Whether kopecks step back. */
  readonly quiet: boolean;
  /** As many digits wide, behind the last one. */
  readonly room: number;
}

function Figure({
  parts: { before, whole, fraction },
  signed = false,
  tail,
  exact,
  quiet,
  room,
}: FigureProps): ReactNode {
  const { language } = useLocale();
  const nothing = !/[1-9]/.test(whole + fraction + (tail ?? ""));
  return (
    <span
      className={`figure${nothing ? " money-nothing" : ""}${room > 0 ? " money-room" : ""}`}
      title={exact}
      style={room > 0 ? ({ "--room": `${room}ch` } as CSSProperties) : undefined}
    >
      {before}
      {signed && language === "en" ? <span className="steps-back">₽</span> : null}
      {whole}
      {quiet ? <span className="steps-back">{fraction}</span> : fraction}
      {tail === undefined ? null : <span className="steps-back">{tail}</span>}
      {signed && language === "ru" ? <span className="steps-back">{"\u00A0₽"}</span> : null}
    </span>
  );
}

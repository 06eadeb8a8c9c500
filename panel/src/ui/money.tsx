/** An amount of roubles: every digit of it, or to the kopeck with every digit at hand. */
import type { ReactNode } from "react";
import type { MoneyRounding } from "../i18n/format-money.ts";
import { useFormats } from "../i18n/locale.tsx";

interface MoneyProps {
  /** Decimal string of the API. */
  readonly amount: string;
  /** To the kopeck: `down` what an account has, `up` what was spent. */
  readonly brief?: MoneyRounding;
}

export function Money({ amount, brief }: MoneyProps): ReactNode {
  const { money, moneyBrief } = useFormats();
  const exact = money(amount);
  if (brief === undefined) return <span className="figure">{exact}</span>;
  const short = moneyBrief(amount, brief);
  return (
    <span className="figure" title={short === exact ? undefined : exact}>
      {short}
    </span>
  );
}

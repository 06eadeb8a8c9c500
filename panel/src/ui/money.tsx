/** An amount of roubles: every digit of it, or to the kopeck with every digit at hand. */
import type { ReactNode } from "react";
import { useFormats } from "../i18n/locale.tsx";

interface MoneyProps {
  /** Decimal string of the API. */
  readonly amount: string;
  readonly brief?: boolean;
}

export function Money({ amount, brief = false }: MoneyProps): ReactNode {
  const { money, moneyBrief } = useFormats();
  const exact = money(amount);
  if (!brief) return <span className="figure">{exact}</span>;
  const short = moneyBrief(amount);
  return (
    <span className="figure" title={short === exact ? undefined : exact}>
      {short}
    </span>
  );
}

/** What a list adds up to, in a line above it that follows its filters. */
import type { ReactNode } from "react";
import "./totals-bar.css";

export interface Total {
  readonly label: string;
  readonly shown: ReactNode;
  readonly className?: string;
}

interface TotalsBarProps {
  /** For screen readers: whose totals these are. */
  readonly label: string;
  /**
   * Null: not read yet. Its place is kept, so that the list does not jump; a list without it is a
   * list all the same.
   */
  readonly totals: readonly Total[] | null;
}

export function TotalsBar({ label, totals }: TotalsBarProps): ReactNode {
  if (totals === null) return <div className="totals-bar" aria-hidden="true" />;
  return (
    <section aria-label={label}>
      <dl className="totals-bar">
        {totals.map((total) => (
          <div key={total.label} className={total.className}>
            <dt>{total.label}</dt>
            <dd className="figure">{total.shown}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** A list with a bar for each, so that scores can be compared at a glance; the figure says the same. */
import type { ReactNode } from "react";
import { useFormats } from "../../../../i18n/locale.tsx";

export interface Score {
  readonly key: string;
  readonly label: ReactNode;
  /** Null: the upstream gives none. */
  readonly score: number | null;
  /** Stands out, and says so in its label. */
  readonly marked?: boolean;
}

interface ScoreListProps {
  readonly label: string;
  readonly scores: readonly Score[];
}

const DIGITS = 3;

export function ScoreList({ label, scores }: ScoreListProps): ReactNode {
  const { decimal } = useFormats();
  const most = Math.max(1, ...scores.map(({ score }) => score ?? 0));
  return (
    <ol className="call-scores" aria-label={label}>
      {scores.map(({ key, label: what, score, marked = false }) => (
        <li key={key} className={marked ? "call-score call-score-marked" : "call-score"}>
          <span className="call-score-what">{what}</span>
          <span className="figure">{score === null ? "—" : decimal(score.toFixed(DIGITS))}</span>
          <span className="call-score-track" aria-hidden="true">
            <span style={{ width: `${Math.max(0, ((score ?? 0) / most) * 100)}%` }} />
          </span>
        </li>
      ))}
    </ol>
  );
}

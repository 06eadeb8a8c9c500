/** Holds the place of what is being loaded. */
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";

/** As many rows as a screen shows of a list. */
const ROWS = 8;

/** Holds the place of a list, at the height that it will have. */
export function TableSkeleton(): ReactNode {
  const words = useWords();
  return (
    <div className="skeleton skeleton-table table-box" role="status" aria-label={words.loading}>
      {Array.from({ length: ROWS }, (_, at) => (
        <span key={at} className="skeleton-row">
          <span className="skeleton-line" />
          <span className="skeleton-line" />
          <span className="skeleton-line" />
        </span>
      ))}
    </div>
  );
}

export function Skeleton({
  lines = 3,
  height,
}: {
  readonly lines?: number;
  readonly height?: number;
}): ReactNode {
  const words = useWords();
  return (
    <div className="skeleton" role="status" aria-label={words.loading}>
      {height === undefined ? (
        Array.from({ length: lines }, (_, at) => <span key={at} className="skeleton-line" />)
      ) : (
        <span className="skeleton-block" style={{ height }} />
      )}
    </div>
  );
}

/** Holds the place of what is being loaded. */
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";

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

/** What stands where there is nothing yet: why, and what to do about it. */
import type { ReactNode } from "react";
import { useWords } from "../i18n/use-words.ts";

interface EmptyStateProps {
  readonly title?: string;
  readonly text?: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ title, text, action }: EmptyStateProps): ReactNode {
  const words = useWords();
  return (
    <div className="empty">
      <p className="empty-title">{title ?? words.nothingYet}</p>
      {text === undefined ? null : <p className="quiet">{text}</p>}
      {action}
    </div>
  );
}

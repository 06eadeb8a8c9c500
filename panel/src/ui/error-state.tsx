/**
 * What stands where something could not be read: what happened, what to do, and the request's id
 * for support.
 */
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { useFaults } from "../i18n/use-faults.ts";
import { useWords } from "../i18n/use-words.ts";
import { Button } from "./button.tsx";

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

export function ErrorState({ error, onRetry }: ErrorStateProps): ReactNode {
  const faults = useFaults();
  const words = useWords();
  return (
    <div className="empty" role="alert">
      <p className="empty-title">{faults.texts.title}</p>
      <p>{faults.sentence(error)}</p>
      {error instanceof ApiError && error.requestId !== null ? (
        <p className="quiet small">
          {faults.texts.requestId} <code>{error.requestId}</code>
        </p>
      ) : null}
      {onRetry === undefined ? null : <Button onClick={onRetry}>{words.retry}</Button>}
    </div>
  );
}

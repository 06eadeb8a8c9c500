/** What a page shows that could not be drawn, or not be loaded. */
import type { ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { useFaults } from "../i18n/use-faults.ts";
import { useWords } from "../i18n/use-words.ts";

export function BrokenPage({ error }: ErrorComponentProps): ReactNode {
  const faults = useFaults();
  const words = useWords();
  return (
    <div className="notice-page" role="alert">
      <h1>{faults.texts.brokenTitle}</h1>
      <p>{faults.sentence(error)}</p>
      {error instanceof ApiError && error.requestId !== null ? (
        <p className="quiet">
          {faults.texts.requestId} <code>{error.requestId}</code>
        </p>
      ) : null}
      <button className="button button-primary" type="button" onClick={() => location.reload()}>
        {words.reload}
      </button>
    </div>
  );
}

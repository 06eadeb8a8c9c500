/**
 * What a page shows that could not be drawn, or not be loaded: for want of a network it loads by
 * itself as soon as there is one.
 */
import type { ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { useFaults } from "../i18n/use-faults.ts";
import { useWords } from "../i18n/use-words.ts";
import { useReturn } from "./use-return.ts";

export function BrokenPage({ error }: ErrorComponentProps): ReactNode {
  const faults = useFaults();
  const words = useWords();
  const offline = error instanceof ApiError && error.code === "network";
  useReturn(offline);
  return (
    <div className="notice-page" role="alert">
      <h1>{offline ? faults.texts.offlineTitle : faults.texts.brokenTitle}</h1>
      <p>{offline ? faults.texts.offlineText : faults.sentence(error)}</p>
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

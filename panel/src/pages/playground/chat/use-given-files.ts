/** Files that are dropped on an element or pasted into it. */
import { useEffect, useEffectEvent } from "react";
import type { RefObject } from "react";

export function useGivenFiles(
  target: RefObject<HTMLElement | null>,
  take: (files: readonly File[]) => void,
): void {
  const taken = useEffectEvent((event: Event, transfer: DataTransfer | null) => {
    const files = [...(transfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    take(files);
  });
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const element = target.current;
    element?.addEventListener(
      "paste",
      (event) => {
        // Spreadsheets give a picture of their text beside it.
        if (event.clipboardData?.getData("text/plain") === "") taken(event, event.clipboardData);
      },
      { signal },
    );
    element?.addEventListener(
      "dragover",
      (event) => {
        // Otherwise the browser leaves the page for the file.
        if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
      },
      { signal },
    );
    element?.addEventListener("drop", (event) => taken(event, event.dataTransfer), { signal });
    return () => listening.abort();
  }, [target]);
}

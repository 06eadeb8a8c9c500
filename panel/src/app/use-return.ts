/**
 * Loads the page anew when the server answers again: looked for when the browser is online again,
 * and every few seconds.
 */
import { useEffect } from "react";

const LOOK_EVERY_MS = 5_000;
const RETURNED_AT = "tollgate.returned";
/** Where a page cannot be fetched although the server answers, it is not loaded over and over. */
const ONCE_IN_MS = 60_000;

export function useReturn(waiting: boolean): void {
  useEffect(() => {
    if (!waiting) return undefined;
    let over = false;
    const look = async (): Promise<void> => {
      const answers = await fetch("/healthz", { cache: "no-store" }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (
        !answers ||
        over ||
        Date.now() - Number(sessionStorage.getItem(RETURNED_AT) ?? "0") < ONCE_IN_MS
      )
        return;
      over = true;
      sessionStorage.setItem(RETURNED_AT, String(Date.now()));
      location.reload();
    };
    const onOnline = (): void => {
      sessionStorage.removeItem(RETURNED_AT);
      void look();
    };
    const timer = setInterval(() => void look(), LOOK_EVERY_MS);
    addEventListener("online", onOnline);
    return () => {
      over = true;
      clearInterval(timer);
      removeEventListener("online", onOnline);
    };
  }, [waiting]);
}

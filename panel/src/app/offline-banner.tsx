/** Says that the browser has no network, for as long as it has none. */
import { useSyncExternalStore } from "react";
import type { ReactNode } from "react";
import { useFaults } from "../i18n/use-faults.ts";

export function OfflineBanner(): ReactNode {
  const { texts } = useFaults();
  const online = useSyncExternalStore(hear, () => navigator.onLine);
  return (
    <div role="status">
      {online ? null : <p className="banner banner-warn">{texts.offlineBanner}</p>}
    </div>
  );
}

function hear(onChange: () => void): () => void {
  addEventListener("online", onChange);
  addEventListener("offline", onChange);
  return () => {
    removeEventListener("online", onChange);
    removeEventListener("offline", onChange);
  };
}

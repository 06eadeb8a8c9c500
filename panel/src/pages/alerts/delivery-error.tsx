/** Why the last try did not succeed, and when the next one is. */
import type { ReactNode } from "react";
import type { AlertDelivery } from "../../../../src/contract/panel/alert.ts";
import { Time } from "../../ui/time.tsx";
import { useAlertsTexts } from "./use-alerts-texts.ts";

export function DeliveryError({
  delivery: { state, lastStatus, lastError, attempts, nextAttemptAt },
}: {
  readonly delivery: AlertDelivery;
}): ReactNode {
  const t = useAlertsTexts();
  const why = lastStatus === null ? (lastError ?? "") : `HTTP ${lastStatus}`;
  if (state === "delivered" || (why === "" && attempts === 0)) return null;
  return (
    <span className="alerts-error small">
      {why}
      {state === "pending" && nextAttemptAt !== null && attempts > 0 ? (
        <span className="quiet">
          {" "}
          {t.nextTry}: <Time iso={nextAttemptAt} />
        </span>
      ) : null}
    </span>
  );
}

/** The secret that signs the webhooks of alerts. */
import type { ReactNode } from "react";
import { ALERT_SECRET_KEY } from "../../api/alerts.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { useMay } from "../../app/session.ts";
import { WebhookSecretCard } from "../../ui/webhook-secret-card.tsx";
import { useAlertsTexts } from "./use-alerts-texts.ts";

const MASK = "whsec_••••••••";

export function AlertSecret(): ReactNode {
  return (
    <WebhookSecretCard
      texts={useAlertsTexts()}
      queryKey={ALERT_SECRET_KEY}
      maySee={useMay("manager")}
      mayReplace={useMay("owner")}
      read={async (signal) => {
        const { exists, createdAt } = await readApi("/alerts/webhook-secret", {
          signal,
        });
        return exists ? { masked: MASK, madeAt: createdAt, previousUntil: null } : null;
      }}
      replace={async () => (await postApi("/alerts/webhook-secret")).secret}
    />
  );
}

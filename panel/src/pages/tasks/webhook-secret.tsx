/**
 * The secret that signs the webhooks of tasks; the one before goes on for a day, or is given up at
 * once.
 */
import { useState } from "react";
import type { ReactNode } from "react";
import type { TaskWebhookSecretRoll } from "../../../../src/contract/panel/panel-task.ts";
import { postApi, readApi } from "../../api/call-api.ts";
import { useMay } from "../../app/session.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { useTaskTexts } from "../../ui/tasks/use-task-texts.ts";
import { WebhookSecretCard } from "../../ui/webhook-secret-card.tsx";

const QUERY_KEY = ["webhook-secret"];

export function WebhookSecret(): ReactNode {
  const t = useTaskTexts();
  const [atOnce, setAtOnce] = useState(false);
  return (
    <WebhookSecretCard
      texts={t}
      queryKey={QUERY_KEY}
      maySee={useMay("manager")}
      mayReplace={useMay("owner")}
      read={async (signal) => {
        const { masked, madeAt, previousUntil } = await readApi("/webhook-secret", { signal });
        return masked === null ? null : { masked, madeAt, previousUntil };
      }}
      replace={async () => {
        const wish: TaskWebhookSecretRoll = atOnce ? { now: true } : {};
        return (await postApi("/webhook-secret/roll", { body: wish })).secret;
      }}
      onReplaced={() => setAtOnce(false)}
    >
      <Checkbox
        label={t.secretAtOnce}
        hint={t.secretAtOnceHint}
        checked={atOnce}
        onChange={setAtOnce}
      />
    </WebhookSecretCard>
  );
}

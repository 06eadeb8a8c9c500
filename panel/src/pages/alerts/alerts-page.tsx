/** Spend alerts: the rules, what they sent, the reader's chat, and the secret that signs webhooks. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { alertsQuery } from "../../api/alerts.ts";
import { useMay, useSeeing } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { AlertForm } from "./alert-form.tsx";
import { AlertLog } from "./alert-log.tsx";
import { AlertRules } from "./alert-rules.tsx";
import { AlertSecret } from "./alert-secret.tsx";
import { TelegramCard } from "./telegram-card.tsx";
import "./alerts.css";
import { useAlertsTexts } from "./use-alerts-texts.ts";

export function Component(): ReactNode {
  const t = useAlertsTexts();
  const mayChange = useMay("manager");
  const seeing = useSeeing();
  const alerts = useQuery(alertsQuery);
  const full = alerts.data !== undefined && alerts.data.data.length >= alerts.data.limit;
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={mayChange && !full ? <CreateAlert /> : null}
      />
      <Loaded query={alerts}>
        {({ data, limit }) => (
          <>
            {full ? <p className="banner">{t.full(limit)}</p> : null}
            <AlertRules alerts={data} />
          </>
        )}
      </Loaded>
      <section className="stack" aria-labelledby="alerts-log">
        <h2 id="alerts-log">{t.log}</h2>
        <AlertLog />
      </section>
      {seeing === null ? <TelegramCard /> : null}
      <AlertSecret />
    </>
  );
}

function CreateAlert(): ReactNode {
  const t = useAlertsTexts();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="primary" icon="plus" onClick={() => setOpen(true)}>
        {t.create}
      </Button>
      <Dialog title={t.createTitle} open={open} onOpenChange={setOpen}>
        <AlertForm of={null} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

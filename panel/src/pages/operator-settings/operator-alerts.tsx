/** Of which troubles operators are told, and how: each switch is a change of its own. */
import { useState } from "react";
import type { ReactNode } from "react";
import type { OperatorAlert } from "../../../../src/contract/panel/operator-alerts.ts";
import { useAction, useOperatorData } from "../../api/operator.ts";
import { useWords } from "../../i18n/use-words.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form } from "../../ui/form.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Status } from "../../ui/status.tsx";
import { Switch } from "../../ui/switch.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useInstallationTexts } from "./use-installation-texts.ts";

export function OperatorAlerts(): ReactNode {
  const alerts = useOperatorData("/operator/alerts");
  return (
    <Loaded query={alerts}>
      {({ data }) => (
        <div>
          {data.map((alert) => (
            <Alert key={alert.kind} alert={alert} />
          ))}
        </div>
      )}
    </Loaded>
  );
}

const WAYS = ["enabled", "mail", "telegram"] as const;

function switched(way: (typeof WAYS)[number], on: boolean) {
  switch (way) {
    case "enabled":
      return { enabled: on };
    case "mail":
      return { mail: on };
    case "telegram":
      return { telegram: on };
  }
}

function Alert({ alert }: { readonly alert: OperatorAlert }): ReactNode {
  const t = useInstallationTexts();
  const toasts = useToasts();
  const { kind, enabled, now, lastFiredAt } = alert;
  const change = useAction("/operator/alerts", {}, () => toasts.done(t.alertSaved));
  const what = t.alertKinds[kind];
  const labels = { enabled: t.alertOn, mail: t.alertMail, telegram: t.alertTelegram };
  return (
    <section className="stack settings-alert" aria-label={what}>
      <div className="row">
        <strong>{what}</strong>
        {enabled ? (
          now.length === 0 ? (
            <Status tone="good">{t.alertQuiet}</Status>
          ) : (
            <Status tone="bad">
              {now.includes(kind) ? t.alertNow(what) : t.alertNow(now.join(", "))}
            </Status>
          )
        ) : null}
        {lastFiredAt === null ? null : (
          <span className="quiet small">
            <RelativeTime iso={lastFiredAt} />
          </span>
        )}
      </div>
      <div className="row settings-ways">
        {WAYS.map((way) => (
          <Switch
            key={way}
            label={
              <>
                <span className="unseen">{`${what}: `}</span>
                {labels[way]}
              </>
            }
            checked={alert[way]}
            disabled={change.busy || (way !== "enabled" && !enabled)}
            onChange={(on) => change.send({ kind, ...switched(way, on) })}
          />
        ))}
      </div>
      {alert.percent === null ? null : (
        <Percent
          key={alert.percent}
          of={alert.percent}
          busy={change.busy}
          onSave={(percent) => change.send({ kind, percent })}
        />
      )}
      {change.error === null ? null : <ErrorState error={change.error} />}
    </section>
  );
}

interface PercentProps {
  readonly of: number;
  readonly busy: boolean;
  onSave(percent: number): void;
}

function Percent({ of, busy, onSave }: PercentProps): ReactNode {
  const t = useInstallationTexts();
  const words = useWords();
  const [value, setValue] = useState<number | null>(of);
  return (
    <Form error={null} onSubmit={() => onSave(value ?? 0)}>
      <NumberField label={t.alertPercent} required value={value} onChange={setValue} />
      <div className="form-actions">
        <Button type="submit" busy={busy} disabled={value === of}>
          {words.save}
        </Button>
      </div>
    </Form>
  );
}

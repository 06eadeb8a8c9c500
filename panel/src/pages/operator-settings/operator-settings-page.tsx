/**
 * What an operator decides about the installation: what it is called, how it looks, and who
 * may sign up.
 */
import type { ReactNode } from "react";
import { useOperatorData } from "../../api/operator.ts";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { AnnouncementForm } from "./announcement-form.tsx";
import { BrandForm } from "./brand-form.tsx";
import { OperatorAlerts } from "./operator-alerts.tsx";
import "./operator-settings.css";
import { SignUpCodes } from "./sign-up-codes.tsx";
import { SignUpForm } from "./sign-up-form.tsx";
import { useInstallationTexts } from "./use-installation-texts.ts";

export function Component(): ReactNode {
  const t = useInstallationTexts();
  const settings = useOperatorData("/operator/settings");
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Loaded query={settings}>
        {(shown) => (
          // Another version: its forms begin anew.
          <div className="settings-cards" key={shown.version}>
            {shown.changedAt === null ? null : (
              <p className="quiet small">
                {t.changed(shown.version, shown.changedBy ?? "")}{" "}
                <RelativeTime iso={shown.changedAt} />
              </p>
            )}
            <Card title={t.brand}>
              <BrandForm shown={shown} />
            </Card>
            <Card title={t.signUp}>
              <SignUpForm shown={shown} />
            </Card>
            <Card title={t.announcement}>
              <p className="quiet">{t.announcementLead}</p>
              <AnnouncementForm shown={shown} />
            </Card>
            <Card title={t.alerts}>
              <p className="quiet">{t.alertsLead}</p>
              <OperatorAlerts />
            </Card>
            {shown.settings.signUp.mode === "code" ? (
              <Card title={t.codes}>
                <SignUpCodes />
              </Card>
            ) : null}
          </div>
        )}
      </Loaded>
    </>
  );
}

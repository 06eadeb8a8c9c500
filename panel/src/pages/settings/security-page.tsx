/** Settings of how one gets in: password, second factor, passkeys, open sessions. */
import type { ReactNode } from "react";
import { PasswordCard } from "./password-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { SettingsHead } from "./settings-head.tsx";
import { TotpCard } from "./totp-card.tsx";
import { useSettingsTexts } from "./use-settings-texts.ts";

export function Component(): ReactNode {
  const t = useSettingsTexts();
  return (
    <>
      <SettingsHead page="security" lead={t.securityLead} />
      <div className="columns">
        <PasswordCard />
        <TotpCard />
      </div>
      <PasskeysCard />
      <SessionsCard />
    </>
  );
}

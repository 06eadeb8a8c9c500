/** Over every page: what the operator has to say to all customers, until its time is over. */
import type { ReactNode } from "react";
import { useInstallation } from "../api/installation.ts";
import { useLocale } from "../i18n/locale.tsx";
import { Icon } from "../ui/icon.tsx";
import { LinkedText } from "../ui/linked-text.tsx";

export function Announcement(): ReactNode {
  const { language } = useLocale();
  const { announcement } = useInstallation();
  if (announcement === null) return null;
  return (
    <p className="banner banner-live breaks" role="status">
      <Icon name="bell" /> <LinkedText text={announcement[language]} />
    </p>
  );
}

/** The top of each page of the settings, with the way to the others. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useSeeing, useSeesAccount } from "../../app/session.ts";
import { useShell } from "../../app/use-shell.ts";
import { PageHead } from "../../ui/page-head.tsx";
import "./settings.css";

const PAGES = ["profile", "security", "members", "log"] as const;
/** Of the account, which developers do not see, and operators who see as its members do alone. */
const OF_ACCOUNT: readonly string[] = ["members", "log"];

export function SettingsHead({
  page,
  lead,
  actions,
}: {
  readonly page: (typeof PAGES)[number];
  readonly lead: string;
  readonly actions?: ReactNode;
}): ReactNode {
  const shell = useShell();
  const seesAccount = useSeesAccount();
  const seeing = useSeeing();
  const isShown = (name: string): boolean =>
    OF_ACCOUNT.includes(name) ? seesAccount : seeing === null;
  return (
    <>
      <PageHead title={shell.sections[page]} lead={lead} actions={actions} />
      <nav className="tabs-list settings-tabs" aria-label={shell.sections.settings}>
        {PAGES.filter(isShown).map((name) => (
          <Link
            key={name}
            className="tabs-tab"
            to={`/settings/${name}`}
            data-active={name === page ? "" : undefined}
            aria-current={name === page ? "page" : undefined}
          >
            {shell.sections[name]}
          </Link>
        ))}
      </nav>
    </>
  );
}

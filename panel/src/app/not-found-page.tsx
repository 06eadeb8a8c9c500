/** What an address shows that leads nowhere. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useInstallation } from "../api/installation.ts";
import { useFaults } from "../i18n/use-faults.ts";
import { useShell } from "./use-shell.ts";

export function NotFoundPage(): ReactNode {
  const { texts } = useFaults();
  const shell = useShell();
  const { name } = useInstallation();
  return (
    <div className="notice-page">
      <title>{`${texts.notFoundTitle} · ${name}`}</title>
      <h1>{texts.notFoundTitle}</h1>
      <p>{texts.notFoundText}</p>
      <Link className="button button-primary" to="/">
        {shell.sections.overview}
      </Link>
    </div>
  );
}

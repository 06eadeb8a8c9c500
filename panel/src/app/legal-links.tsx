/** Where the terms stand and whom to ask, under the pages for who is not logged in. */
import type { ReactNode } from "react";
import { useInstallation } from "../api/installation.ts";
import { supportHref } from "../ui/support-href.ts";
import { useShell } from "./use-shell.ts";

export function LegalLinks(): ReactNode {
  const shell = useShell();
  const { terms, privacy, support } = useInstallation();
  const links: readonly (readonly [label: string, href: string | null])[] = [
    [shell.terms, terms],
    [shell.privacy, privacy],
    [shell.support, support === null ? null : supportHref(support)],
  ];
  const given = links.filter(([, href]) => href !== null);
  if (given.length === 0) return null;
  return (
    <footer className="outside-foot">
      {given.map(([label, href]) => (
        <a key={label} href={href ?? undefined} rel="noreferrer">
          {label}
        </a>
      ))}
    </footer>
  );
}

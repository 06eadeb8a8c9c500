/** The list of sections, beside the page on wide screens and in a drawer on phones. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import { sectionsFor } from "./sections.ts";
import type { Section } from "./sections.ts";
import { useSession } from "./session.ts";
import { useShell } from "./use-shell.ts";
import { useWorkspace } from "./use-workspace.ts";

export function Navigation({ onGone }: { readonly onGone?: () => void }): ReactNode {
  const shell = useShell();
  const workspace = useWorkspace();
  const { member, seeing } = useSession();
  return (
    <nav className="navigation" aria-label={shell.navigation}>
      {sectionsFor(workspace, member.role, seeing !== null).map(({ name, sections }) => (
        <div key={name ?? ""}>
          {name === null ? null : <h2 className="navigation-title">{shell.groups[name]}</h2>}
          <SectionList sections={sections} onGone={onGone} />
        </div>
      ))}
    </nav>
  );
}

function SectionList({
  sections,
  onGone,
}: {
  readonly sections: readonly Section[];
  readonly onGone: (() => void) | undefined;
}): ReactNode {
  const shell = useShell();
  return (
    <ul>
      {sections.map(({ name, to, icon }) => (
        <li key={name}>
          <Link
            className="navigation-link"
            to={to}
            activeOptions={{ exact: to === "/" || to === "/operator", includeSearch: false }}
            onClick={onGone}
          >
            <Icon name={icon} />
            {shell.sections[name]}
          </Link>
        </li>
      ))}
    </ul>
  );
}

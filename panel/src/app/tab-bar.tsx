/**
 * On phones: the sections that are gone to most, at the bottom edge, and a button for the others.
 */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import { useWords } from "../i18n/use-words.ts";
import { sectionsFor, TABS } from "./sections.ts";
import { useSession } from "./session.ts";
import { useShell } from "./use-shell.ts";
import { useWorkspace } from "./use-workspace.ts";

export function TabBar({ onMore }: { readonly onMore: () => void }): ReactNode {
  const shell = useShell();
  const words = useWords();
  const workspace = useWorkspace();
  const { member, seeing } = useSession();
  const sections = sectionsFor(workspace, member.role, seeing !== null).flatMap(
    (group) => group.sections,
  );
  const short: Readonly<Record<string, string>> = shell.tabs;
  return (
    <nav className="tab-bar only-narrow" aria-label={shell.menu}>
      {sections
        .filter(({ name }) => TABS[workspace].includes(name))
        .map(({ name, to, icon }) => (
          <Link
            key={name}
            className="tab-bar-item"
            to={to}
            activeOptions={{ exact: to === "/" || to === "/operator", includeSearch: false }}
          >
            <Icon name={icon} size={20} />
            {short[name] ?? shell.sections[name]}
          </Link>
        ))}
      <button className="tab-bar-item" type="button" onClick={onMore}>
        <Icon name="more" size={20} />
        {words.more}
      </button>
    </nav>
  );
}

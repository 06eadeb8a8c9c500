/**
 * On phones: the sections that are gone to most, at the bottom edge, and a button for the others.
 */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import { useWords } from "../i18n/use-words.ts";
import { ACCOUNT_SECTIONS } from "./sections.ts";
import { useShell } from "./use-shell.ts";

const SHOWN = new Set(["overview", "keys", "requests", "billing"]);

export function TabBar({ onMore }: { readonly onMore: () => void }): ReactNode {
  const shell = useShell();
  const words = useWords();
  return (
    <nav className="tab-bar only-narrow" aria-label={shell.menu}>
      {ACCOUNT_SECTIONS.filter(({ name }) => SHOWN.has(name)).map(({ name, to, icon }) => (
        <Link
          key={name}
          className="tab-bar-item"
          to={to}
          activeOptions={{ exact: to === "/", includeSearch: false }}
        >
          <Icon name={icon} size={20} />
          {shell.sections[name]}
        </Link>
      ))}
      <button className="tab-bar-item" type="button" onClick={onMore}>
        <Icon name="menu" size={20} />
        {words.more}
      </button>
    </nav>
  );
}

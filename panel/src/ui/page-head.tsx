/**
 * The top of a page: its name, also in the browser's tab, where it belongs, and what can be done on
 * it.
 */
import { Link } from "@tanstack/react-router";
import type { LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useInstallation } from "../api/installation.ts";
import { Icon } from "./icon.tsx";

interface PageHeadProps {
  readonly title: string;
  /** A sentence about what is here. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** The page above. */
  readonly back?: { readonly to: LinkProps["to"]; readonly label: string };
  /** The page takes all the width there is: it is a long list with many columns. */
  readonly wide?: boolean;
}

export function PageHead({ title, lead, actions, back, wide = false }: PageHeadProps): ReactNode {
  const { name } = useInstallation();
  return (
    <header className={wide ? "page-head page-head-wide" : "page-head"}>
      <title>{`${title} · ${name}`}</title>
      <div className="page-head-words">
        {back === undefined ? null : (
          <Link className="back-link" to={back.to as "/"}>
            <Icon name="back" size={14} /> {back.label}
          </Link>
        )}
        <h1>{title}</h1>
        {lead === undefined ? null : <p className="quiet">{lead}</p>}
      </div>
      {actions === undefined ? null : <div className="row">{actions}</div>}
    </header>
  );
}

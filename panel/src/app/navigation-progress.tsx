/** A thin bar at the top while the next page is on its way; how far it has come is unknown. */
import type { ReactNode } from "react";
import { useShell } from "./use-shell.ts";

export function NavigationProgress(): ReactNode {
  return (
    <div className="navigation-progress" role="progressbar" aria-label={useShell().pageComes} />
  );
}

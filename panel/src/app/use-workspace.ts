/** Whose pages are shown now: the whole gateway's only to its operators. */
import { useLocation } from "@tanstack/react-router";
import { workspaceOf } from "./sections.ts";
import type { Workspace } from "./sections.ts";
import { useSession } from "./session.ts";

export function useWorkspace(): Workspace {
  const { operator } = useSession().member;
  const { pathname } = useLocation();
  return operator ? workspaceOf(pathname) : "account";
}

/**
 * Who is logged in: read once, kept for all pages, and forgotten at the first answer that says it
 * is over.
 */
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { MEMBER_ROLES, type MemberRole } from "../../../src/contract/enums/member-role.ts";
import type { Session } from "../../../src/contract/panel/sessions.ts";
import { readApi } from "../api/call-api.ts";
import { tellOtherTabs } from "./other-tabs.ts";

/** Null: no member is logged in. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: 60_000,
  async queryFn({ signal }): Promise<Session | null> {
    const { session } = await readApi("/visitor", { signal });
    return session;
  },
});

/**
 * The layout puts the session here: what is below it never sees it end, and stays as it is until
 * its owner has logged in again.
 */
export const SessionContext = createContext<Session | null>(null);

/** On pages behind the log-in: the router lets only members in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("this page is for members only");
  return session;
}

/** Whether the member may do what this role may: to show buttons, not to protect anything. */
export function useMay(role: MemberRole): boolean {
  const { member, account } = useSession();
  if (account.blocked) return false;
  return MEMBER_ROLES.indexOf(member.role) >= MEMBER_ROLES.indexOf(role);
}

/** Whether the member may make and use keys: developers their own, managers and owners all. */
export function useMayUseKeys(): boolean {
  const { member, account } = useSession();
  return !account.blocked && member.role !== "viewer";
}

/** An operator sees the panel as a customer: whose it is, and until when; null: it is their own. */
export function useSeeing(): Session["seeing"] {
  return useSession().seeing;
}

/** Developers see their own keys and what was done with them; everybody else the whole account. */
export function useSeesAccount(): boolean {
  return useSession().member.role !== "developer";
}

/** Takes the session that an answer brought; null: one that was given up before it was whole. */
export function useSetSession(): (session: Session | null) => void {
  const client = useQueryClient();
  return (session) => {
    client.setQueryData(sessionQuery.queryKey, session);
    tellOtherTabs(session === null ? "left" : "begun");
  };
}

/** The session that asks, the member's other ones, and its profile. */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { SessionRecord } from "../../../accounts/sessions.store.ts";
import { ProfileBody, type SessionList, type Visit } from "../../../contract/panel/sessions.ts";
import type { ProfileChanges } from "../../../business/members/change-profile.ts";
import type { SessionView } from "../../../business/members/read-session.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import { noSessionCookie, readSessionCookie } from "../session-cookie.ts";
import { DONE, sessionBody } from "./session-answer.ts";

export interface SessionUseCases {
  readSession(member: MemberCaller): Promise<SessionView>;
  /** Null: no member is logged in with this token. */
  readVisitor(token: string | null): Promise<SessionView | null>;
  logOut(member: MemberCaller): Promise<void>;
  listSessions(member: MemberCaller): Promise<readonly SessionRecord[]>;
  /** Throws Fault("not_found") for a session that is none of the member's. */
  endSession(member: MemberCaller, sessionId: Uuid): Promise<void>;
  endOtherSessions(member: MemberCaller): Promise<void>;
  changeProfile(member: MemberCaller, changes: ProfileChanges): Promise<SessionView>;
}

export function sessionRoutes(useCases: SessionUseCases, secure: () => boolean): Route[] {
  return [
    openPanelRoute({
      method: "GET",
      path: "/panel/api/visitor",
      async handle({ headers }) {
        const view = await useCases.readVisitor(readSessionCookie(headers, secure()));
        const visit: Visit = { session: view === null ? null : sessionBody(view) };
        return { content: { json: visit } };
      },
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/session",
      needs: "unfinished",
      handle: async ({ member }) => ({
        content: { json: sessionBody(await useCases.readSession(member)) },
      }),
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/log-out",
      needs: "unfinished",
      async handle({ member }) {
        await useCases.logOut(member);
        return { ...DONE, headers: { "set-cookie": noSessionCookie(secure()) } };
      },
    }),
    memberRoute({
      method: "GET",
      path: "/panel/api/sessions",
      needs: "viewer",
      async handle({ member }) {
        const sessions = await useCases.listSessions(member);
        const list: SessionList = { data: sessions.map((session) => listed(session, member)) };
        return { content: { json: list } };
      },
    }),
    memberRoute({
      method: "DELETE",
      path: "/panel/api/sessions",
      needs: "viewer",
      async handle({ member }) {
        await useCases.endOtherSessions(member);
        return DONE;
      },
    }),
    memberRoute({
      method: "DELETE",
      path: "/panel/api/sessions/{id}",
      uuids: ["id"],
      needs: "viewer",
      async handle({ member, params }) {
        await useCases.endSession(member, params["id"] ?? "");
        return DONE;
      },
    }),
    memberRoute({
      method: "POST",
      path: "/panel/api/profile",
      needs: "viewer",
      body: ProfileBody,
      handle: async ({ member, body }) => ({
        content: { json: sessionBody(await useCases.changeProfile(member, body)) },
      }),
    }),
  ];
}

function listed(
  { sessionId, createdAt, seenAt, address, userAgent }: SessionRecord,
  member: MemberCaller,
): SessionList["data"][number] {
  return {
    sessionId,
    current: sessionId === member.sessionId,
    createdAt: createdAt.toISOString(),
    lastSeenAt: seenAt.toISOString(),
    address,
    userAgent,
  };
}

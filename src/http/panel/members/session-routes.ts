/** The session that asks, the member's other ones, and its profile. */
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { SessionRecord } from "../../../accounts/sessions.store.ts";
import type { SessionList } from "../../../contract/panel/sessions.ts";
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
    openPanelRoute("GET /visitor", async ({ headers }) => {
      const view = await useCases.readVisitor(readSessionCookie(headers, secure()));
      return { json: { session: view === null ? null : sessionBody(view) } };
    }),
    memberRoute("GET /session", {
      needs: "unfinished",
      handle: async ({ member }) => ({
        json: sessionBody(await useCases.readSession(member)),
      }),
    }),
    memberRoute("POST /log-out", {
      needs: "unfinished",
      async handle({ member }) {
        await useCases.logOut(member);
        return { ...DONE, headers: { "set-cookie": noSessionCookie(secure()) } };
      },
    }),
    memberRoute("GET /sessions", {
      needs: "viewer",
      async handle({ member }) {
        const sessions = await useCases.listSessions(member);
        return { json: { data: sessions.map((session) => listed(session, member)) } };
      },
    }),
    memberRoute("DELETE /sessions", {
      needs: "viewer",
      async handle({ member }) {
        await useCases.endOtherSessions(member);
        return DONE;
      },
    }),
    memberRoute("DELETE /sessions/{id}", {
      needs: "viewer",
      async handle({ member, params }) {
        await useCases.endSession(member, params.id);
        return DONE;
      },
    }),
    memberRoute("POST /profile", {
      needs: "viewer",
      handle: async ({ member, body }) => ({
        json: sessionBody(await useCases.changeProfile(member, body)),
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

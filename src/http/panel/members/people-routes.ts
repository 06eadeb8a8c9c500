/** The people of an account: listed, invited, given roles, removed. */
import type { Invitation } from "../../../accounts/invitations.store.ts";
import type { Colleague } from "../../../accounts/members.store.ts";
import type { ListedInvitation, ListedMember } from "../../../contract/panel/members.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import { DONE, visitorOf } from "./session-answer.ts";
import { listMembers } from "../../../business/members/list-members.ts";
import { inviteMember } from "../../../business/members/invite-member.ts";
import { readInvitation } from "../../../business/members/read-invitation.ts";
import { changeMemberRole } from "../../../business/members/change-role.ts";
import { removeMember } from "../../../business/members/remove-member.ts";
import type { MembersDeps } from "../../../business/members/members-deps.ts";
import { deleteInvitation } from "../../../accounts/invitations.store.ts";
import { Fault } from "../../../kernel/faults.ts";

export function peopleRoutes(deps: MembersDeps, secure: () => boolean): Route[] {
  return [
    memberRoute("GET /members", {
      needs: "viewer",
      async handle({ member }) {
        const { members, invitations } = await listMembers(deps, member);
        return {
          json: { data: members.map(listedMember), invitations: invitations.map(listedInvitation) },
        };
      },
    }),
    memberRoute("POST /members/invite", {
      needs: "owner",
      async handle({ member, body }) {
        await inviteMember(deps, member, body);
        return DONE;
      },
    }),
    // It reads, by POST: a token in an address would lie in logs.
    openPanelRoute("POST /members/invitation", async (call) => {
      return {
        json: await readInvitation(deps, {
          token: call.body.token,
          visitor: visitorOf(call, secure()),
        }),
      };
    }),
    memberRoute("DELETE /members/invitations/{id}", {
      needs: "owner",
      async handle({ member, params }) {
        if (!(await deleteInvitation(deps.db, member.accountId, params.id)))
          throw new Fault("not_found");
        return DONE;
      },
    }),
    memberRoute("POST /members/{id}/role", {
      needs: "owner",
      async handle({ member, params, body }) {
        await changeMemberRole(deps, member, { memberId: params.id, role: body.role });
        return DONE;
      },
    }),
    memberRoute("DELETE /members/{id}", {
      needs: "viewer",
      async handle({ member, params }) {
        await removeMember(deps, member, params.id);
        return DONE;
      },
    }),
  ];
}

function listedMember({
  memberId,
  email,
  name,
  role,
  operator,
  totp,
  verified,
  createdAt,
  seenAt,
}: Colleague): ListedMember {
  const times = { joinedAt: createdAt.toISOString(), lastSeenAt: seenAt?.toISOString() ?? null };
  return { memberId, email, name, role, operator, totp, verified, ...times };
}

function listedInvitation({
  invitationId,
  email,
  role,
  createdAt,
  expiresAt,
}: Invitation): ListedInvitation {
  return {
    invitationId,
    email,
    role,
    invitedAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}

/** The people of an account: listed, invited, given roles, removed. */
import type { Invitation } from "../../../accounts/invitations.store.ts";
import type { ListedInvitation, ListedMember } from "../../../contract/panel/members.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import { DONE, visitorOf } from "./session-answer.ts";
import { listMembers, type Person } from "../../../business/members/list-members.ts";
import { inviteMember } from "../../../business/members/invite-member.ts";
import { readInvitation } from "../../../business/members/read-invitation.ts";
import { changeMemberRole, roleRevision } from "../../../business/members/change-role.ts";
import { removeMember } from "../../../business/members/remove-member.ts";
import type { MembersDeps } from "../../../business/members/members-deps.ts";
import { chooseMemberGroup } from "../../../business/members/choose-member-group.ts";
import { requireSecondFactor } from "../../../business/members/require-second-factor.ts";
import { withdrawInvitation } from "../../../business/members/withdraw-invitation.ts";

export function peopleRoutes(deps: MembersDeps, secure: () => boolean): Route[] {
  return [
    memberRoute("GET /members", {
      needs: "viewer",
      seen: true,
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
        await withdrawInvitation(deps, member, params.id);
        return DONE;
      },
    }),
    memberRoute("POST /members/{id}/role", {
      needs: "owner",
      async handle({ member, params, body }) {
        await changeMemberRole(deps, member, { memberId: params.id, ...body });
        return DONE;
      },
    }),
    memberRoute("POST /members/{id}/group", {
      needs: "manager",
      async handle({ member, params, body }) {
        await chooseMemberGroup(deps, member, { memberId: params.id, groupId: body.group });
        return DONE;
      },
    }),
    memberRoute("POST /second-factor", {
      needs: "owner",
      async handle({ member, body }) {
        await requireSecondFactor(deps, member, body.required);
        return DONE;
      },
    }),
    memberRoute("DELETE /members/{id}", {
      needs: "developer",
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
  passkeys,
  verified,
  keys,
  group,
  createdAt,
  seenAt,
}: Person): ListedMember {
  const times = { joinedAt: createdAt.toISOString(), lastSeenAt: seenAt?.toISOString() ?? null };
  const revision = roleRevision(role);
  const what = { memberId, email, name, role, operator, totp, passkeys, verified, keys, group };
  return { ...what, ...times, revision };
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

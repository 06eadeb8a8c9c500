/** The people of an account: listed, invited, given roles, removed. */
import type { Invitation } from "../../../accounts/invitations.store.ts";
import type { MemberCaller } from "../../../accounts/member-caller.ts";
import type { Colleague } from "../../../accounts/members.store.ts";
import type {
  InvitationView,
  InviteBody,
  ListedInvitation,
  ListedMember,
  RoleBody,
} from "../../../contract/panel/members.ts";
import type { People } from "../../../business/members/list-members.ts";
import type { Uuid } from "../../../kernel/ids.ts";
import type { Visitor } from "../../../business/members/members-deps.ts";
import type { Route } from "../../route.ts";
import { memberRoute } from "../member-route.ts";
import { openPanelRoute } from "../open-panel-route.ts";
import { DONE, visitorOf } from "./session-answer.ts";

export interface PeopleUseCases {
  listMembers(member: MemberCaller): Promise<People>;
  inviteMember(member: MemberCaller, request: InviteBody): Promise<void>;
  readInvitation(request: {
    readonly token: string;
    readonly visitor: Visitor;
  }): Promise<InvitationView>;
  /** Throws Fault("not_found") for one that is none of this account's. */
  withdrawInvitation(member: MemberCaller, invitationId: Uuid): Promise<void>;
  changeRole(member: MemberCaller, change: RoleBody & { readonly memberId: Uuid }): Promise<void>;
  removeMember(member: MemberCaller, memberId: Uuid): Promise<void>;
}

export function peopleRoutes(useCases: PeopleUseCases, secure: () => boolean): Route[] {
  return [
    memberRoute("GET /members", {
      needs: "viewer",
      async handle({ member }) {
        const { members, invitations } = await useCases.listMembers(member);
        return {
          json: { data: members.map(listedMember), invitations: invitations.map(listedInvitation) },
        };
      },
    }),
    memberRoute("POST /members/invite", {
      needs: "owner",
      async handle({ member, body }) {
        await useCases.inviteMember(member, body);
        return DONE;
      },
    }),
    // It reads, by POST: a token in an address would lie in logs.
    openPanelRoute("POST /members/invitation", async (call) => {
      return {
        json: await useCases.readInvitation({
          token: call.body.token,
          visitor: visitorOf(call, secure()),
        }),
      };
    }),
    memberRoute("DELETE /members/invitations/{id}", {
      needs: "owner",
      async handle({ member, params }) {
        await useCases.withdrawInvitation(member, params.id);
        return DONE;
      },
    }),
    memberRoute("POST /members/{id}/role", {
      needs: "owner",
      async handle({ member, params, body }) {
        await useCases.changeRole(member, { memberId: params.id, role: body.role });
        return DONE;
      },
    }),
    memberRoute("DELETE /members/{id}", {
      needs: "viewer",
      async handle({ member, params }) {
        await useCases.removeMember(member, params.id);
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

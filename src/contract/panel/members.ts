/** The people of an account: who they are, who is invited, and what they may. */
import Type from "typebox";
import { nullableString } from "../nullable.ts";
import { EMAIL, ROLE } from "./member-fields.ts";
import { Revision, REVISION } from "./revision.ts";
import { PanelGroupName } from "./spend.ts";

export const ListedMember = Type.Object({
  memberId: Type.String(),
  email: Type.String(),
  name: nullableString({ description: "Null: none given." }),
  role: ROLE,
  operator: Type.Boolean(),
  totp: Type.Boolean({ description: "Codes of an app." }),
  passkeys: Type.Integer(),
  keys: Type.Integer({ description: "How many it owns, without deleted ones." }),
  group: Type.Union([PanelGroupName, Type.Null()], {
    description: "Into which the keys go that it makes as a developer; null: into none.",
  }),
  verified: Type.Boolean({ description: "The e-mail was confirmed." }),
  joinedAt: Type.String(),
  lastSeenAt: nullableString({ description: "Of its sessions that are open; null: none is." }),
  /** Of its role. */
  revision: Revision,
});
export type ListedMember = Type.Static<typeof ListedMember>;

export const ListedInvitation = Type.Object({
  invitationId: Type.String(),
  email: Type.String(),
  role: ROLE,
  invitedAt: Type.String(),
  expiresAt: Type.String(),
});
export type ListedInvitation = Type.Static<typeof ListedInvitation>;

/** What a guest is told who holds the link of an invitation: nothing that its mail did not say. */
export const InvitationView = Type.Object({ accountName: Type.String(), role: ROLE });
export type InvitationView = Type.Static<typeof InvitationView>;

/** All of them: an account has few. */
export const MemberList = Type.Object({
  data: Type.Array(ListedMember),
  invitations: Type.Array(ListedInvitation),
});
export type MemberList = Type.Static<typeof MemberList>;

export const InviteBody = Type.Object({ email: EMAIL, role: ROLE });
export type InviteBody = Type.Static<typeof InviteBody>;

export const MemberGroupBody = Type.Object({
  group: Type.Union([Type.String({ format: "uuid" }), Type.Null()], {
    description: "The id of a group; null: none.",
  }),
});
export type MemberGroupBody = Type.Static<typeof MemberGroupBody>;

export const SecondFactorBody = Type.Object({
  required: Type.Boolean({ description: "Of every member, from the next request on." }),
});
export type SecondFactorBody = Type.Static<typeof SecondFactorBody>;

export const RoleBody = Type.Object({ role: ROLE, revision: REVISION });
export type RoleBody = Type.Static<typeof RoleBody>;

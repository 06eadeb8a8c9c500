/** Routes of the panel for members about themselves and their colleagues. */
import { InviteBody, MemberGroupBody, MemberList, RoleBody, SecondFactorBody } from "../members.ts";
import {
  AddedPasskey,
  AddPasskeyBody,
  BeginPasskeyBody,
  PasskeyCreation,
  PasskeyList,
} from "../passkeys.ts";
import {
  ChangePasswordBody,
  CodeBody,
  DisableTotpBody,
  ProfileBody,
  RecoveryCodes,
  Session,
  SessionList,
  TotpSecret,
} from "../sessions.ts";
import { Done, type PanelRouteTable } from "./panel-route.ts";

export const MEMBER_ROUTES = {
  "GET /session": { summary: "The session that asks, whatever its stage", answer: Session },
  "POST /log-out": { summary: "End the session that asks", answer: Done },
  "POST /log-in/totp": {
    summary: "The code of a log-in; after a few wrong ones it begins anew (401 `session_required`)",
    body: CodeBody,
    answer: Session,
  },
  "POST /password": {
    summary: "Change one's password, which ends all other sessions",
    body: ChangePasswordBody,
    answer: Session,
  },
  "GET /sessions": { summary: "One's open sessions", answer: SessionList },
  "DELETE /sessions": { summary: "End all of them but the one that asks", answer: Done },
  "DELETE /sessions/{id}": { summary: "End one of them", uuids: ["id"], answer: Done },
  "POST /profile": {
    summary: "Change name, language or time zone",
    body: ProfileBody,
    answer: Session,
  },
  "POST /totp/begin": { summary: "Begin a second factor", answer: TotpSecret },
  "POST /totp/confirm": {
    summary: "Turn it on by a code of it",
    body: CodeBody,
    answer: RecoveryCodes,
  },
  "POST /totp/disable": { summary: "Turn it off", body: DisableTotpBody, answer: Done },
  "GET /passkeys": { summary: "One's passkeys", answer: PasskeyList },
  "POST /passkeys/begin": {
    summary: "Begin a passkey, by the password",
    body: BeginPasskeyBody,
    answer: PasskeyCreation,
  },
  "POST /passkeys": {
    summary: "Add what the browser made of it: 10 at most",
    body: AddPasskeyBody,
    answer: AddedPasskey,
    status: 201,
  },
  "DELETE /passkeys/{id}": {
    summary:
      "Remove one; never the last factor while the account wants one of all (409 `conflict`)",
    uuids: ["id"],
    answer: Done,
  },
  "GET /members": { summary: "The people of the account, and who is invited", answer: MemberList },
  "POST /members/invite": {
    summary: "Invite by mail; again: by a new link",
    body: InviteBody,
    answer: Done,
    status: 202,
  },
  "DELETE /members/invitations/{id}": {
    summary: "Withdraw an invitation",
    uuids: ["id"],
    answer: Done,
  },
  "POST /members/{id}/role": {
    summary: "Change a role",
    uuids: ["id"],
    body: RoleBody,
    answer: Done,
  },
  "POST /members/{id}/group": {
    summary: "Choose the group into which the keys of a developer go",
    uuids: ["id"],
    body: MemberGroupBody,
    answer: Done,
  },
  "POST /second-factor": {
    summary: "Want a second factor of every member, or no longer",
    body: SecondFactorBody,
    answer: Done,
  },
  "DELETE /members/{id}": {
    summary:
      "Remove a member, oneself too; never the last owner (409 `conflict`). Its keys become the account's",
    uuids: ["id"],
    answer: Done,
  },
} as const satisfies PanelRouteTable;

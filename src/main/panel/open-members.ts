/** Members and their sessions: put together for the panel. */
import type { IncomingHttpHeaders } from "node:http";
import type { MemberCaller } from "../../accounts/member-caller.ts";
import { sweepMembers } from "../../accounts/sweep.store.ts";
import { authenticateMember } from "../../business/members/authenticate-member.ts";
import { createMemberMail } from "../../business/members/member-mail.ts";
import type { PasskeyDeps } from "../../business/members/passkey-deps.ts";
import { createPasswordWork } from "../../business/members/password-work.ts";
import { relyingPartyOf } from "../../business/members/relying-party.ts";
import { sweepSignUps } from "../../business/members/sweep-sign-ups.ts";
import { createThrottle } from "../../business/members/throttle.ts";
import { recordAction } from "../../business/operate/audit.store.ts";
import { actorOf } from "../../business/operate/operator.ts";
import type { MembersRouteDeps } from "../../http/panel/members-routes.ts";
import { readSessionCookies } from "../../http/panel/session-cookie.ts";
import { createTokenHash } from "../../kernel/opaque-token.ts";
import { createSeal } from "../../kernel/seal.ts";
import { repeat } from "../../process/repeat.ts";
import type { Parts } from "../parts.ts";
import type { PanelPart } from "./panel-parts.ts";

export interface Members extends PanelPart<MembersRouteDeps> {
  /** Whose session it is; throws Fault("session_required"). */
  authenticateMember(headers: IncomingHttpHeaders): Promise<MemberCaller>;
}

/** Between two sweeps for sessions, links, counts and sign-ups whose time is over. */
const SWEEP_MS = 600_000;

export function openMembers({ db, clock, sessionSecret, baseUrl, onError }: Parts): Members {
  const seal = createSeal(sessionSecret);
  const hashToken = createTokenHash(sessionSecret);
  const deps: PasskeyDeps = {
    db,
    clock,
    seal,
    hashToken,
    passwords: createPasswordWork(),
    throttle: createThrottle({ db, hashToken }),
    mail: createMemberMail({ seal, baseUrl }),
    relyingParty: () => relyingPartyOf(baseUrl()),
    recordOperator: (tx, { memberId, email, ...line }) =>
      recordAction(tx, { ...actorOf({ memberId, email }), ...line, reason: null }),
  };
  const secure = (): boolean => baseUrl().startsWith("https:");
  const sweep = async (): Promise<void> => {
    await sweepMembers(db);
    await sweepSignUps(db);
  };
  const sweeper = repeat(onError, {
    "sessions, links and sign-ups that are over could not be removed": [SWEEP_MS, sweep],
  });
  return {
    routeDeps: { deps, secure },
    authenticateMember: (headers) =>
      authenticateMember(deps, readSessionCookies(headers, secure())),
    close: () => sweeper.stop(),
  };
}

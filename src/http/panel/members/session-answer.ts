/** What is answered where a session begins or changes, and who it was that asked. */
import type { Session } from "../../../contract/panel/sessions.ts";
import type { MembersDeps, Visitor } from "../../../business/members/members-deps.ts";
import type { BegunSession } from "../../../business/members/new-session.ts";
import { readSessionOf, type SessionView } from "../../../business/members/read-session.ts";
import type { RouteCall } from "../../route.ts";
import type { JsonAnswer } from "../panel-head.ts";
import { deviceCookie, readDeviceCookie, sessionCookie } from "../session-cookie.ts";

export const DONE: JsonAnswer<Record<never, never>> = { json: {} };

const LONGEST_USER_AGENT = 400;

export function visitorOf(
  { clientAddress, headers }: RouteCall<unknown>,
  secure: boolean,
): Visitor {
  const userAgent = (headers["user-agent"] ?? "").slice(0, LONGEST_USER_AGENT);
  return { address: clientAddress, userAgent, device: readDeviceCookie(headers, secure) };
}

/** Tells what the session is that has begun. */
export async function newSessionAnswer(
  deps: MembersDeps,
  { token, device }: BegunSession,
  secure: boolean,
): Promise<JsonAnswer<Session> & { readonly cookies: readonly string[] }> {
  const session = await readSessionOf(deps, token);
  const cookies = [
    sessionCookie(token, secure),
    ...(device === null ? [] : [deviceCookie(device, secure)]),
  ];
  return { headers: { "set-cookie": cookies }, json: sessionBody(session), cookies };
}

export function sessionBody({ member, stage, blocked, seeing }: SessionView): Session {
  const {
    memberId,
    email,
    name,
    role,
    operator,
    language,
    timezone,
    totp,
    passkeys,
    accountId,
    accountName,
    totpRequired,
  } = member;
  return {
    member: { memberId, email, name, role, operator, language, timezone, totp, passkeys, stage },
    account: { accountId, name: accountName, blocked, totpRequired },
    seeing: seeing === null ? null : { until: seeing.until.toISOString() },
  };
}
